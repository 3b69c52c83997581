"""Messages below ibc/core/ (generated)."""
