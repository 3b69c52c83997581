"""Messages below ibc/core/connection/ (generated)."""
