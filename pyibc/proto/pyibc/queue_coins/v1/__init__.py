"""Messages below pyibc/queue_coins/v1/ (generated)."""
