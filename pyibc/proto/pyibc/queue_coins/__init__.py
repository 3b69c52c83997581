"""Messages below pyibc/queue_coins/ (generated)."""
