"""Messages below ibc/core/types/ (generated)."""
