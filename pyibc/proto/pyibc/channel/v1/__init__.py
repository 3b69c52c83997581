"""Messages below pyibc/channel/v1/ (generated)."""
