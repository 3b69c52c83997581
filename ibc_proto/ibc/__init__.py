"""Messages below ibc/ (generated)."""
