"""Messages below pyibc/channel/ (generated)."""
