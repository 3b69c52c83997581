"""Messages below google/ (generated)."""
