"""Messages below cosmos/ (generated)."""
