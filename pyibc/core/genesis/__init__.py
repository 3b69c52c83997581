"""Genesis state: sections in ibc-go's form, and complete stores as raw entries."""
