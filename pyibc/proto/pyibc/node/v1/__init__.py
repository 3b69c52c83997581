"""Messages below pyibc/node/v1/ (generated)."""
