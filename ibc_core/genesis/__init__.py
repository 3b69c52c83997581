"""Genesis entries: sections in ibc-go's form, and stores written out whole."""
