"""Messages below pyibc/ratelimit/v1/ (generated)."""
