"""Messages below ibc/applications/ (generated)."""
