"""Messages below ibc/core/types/v1/ (generated)."""
