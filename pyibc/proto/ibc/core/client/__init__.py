"""Messages below ibc/core/client/ (generated)."""
