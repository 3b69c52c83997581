"""Messages below pyibc/ratelimit/ (generated)."""
