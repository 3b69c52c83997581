"""Messages below ibc/core/channel/v2/ (generated)."""
