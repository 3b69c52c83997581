"""Messages below ibc/core/channel/v1/ (generated)."""
