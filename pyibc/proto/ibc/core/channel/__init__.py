"""Messages below ibc/core/channel/ (generated)."""
