"""Messages below pyibc/ (generated)."""
