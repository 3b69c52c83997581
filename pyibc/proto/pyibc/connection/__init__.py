"""Messages below pyibc/connection/ (generated)."""
