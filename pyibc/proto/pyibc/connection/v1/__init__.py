"""Messages below pyibc/connection/v1/ (generated)."""
