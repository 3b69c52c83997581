"""Messages below pyibc/queue/v1/ (generated)."""
