"""Messages below pyibc/node/ (generated)."""
