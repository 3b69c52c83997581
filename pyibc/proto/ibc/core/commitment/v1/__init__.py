"""Messages below ibc/core/commitment/v1/ (generated)."""
