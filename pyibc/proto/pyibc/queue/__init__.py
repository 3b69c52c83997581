"""Messages below pyibc/queue/ (generated)."""
