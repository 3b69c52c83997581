"""Messages below ibc/core/client/v1/ (generated)."""
