"""Messages below ibc/core/client/v2/ (generated)."""
