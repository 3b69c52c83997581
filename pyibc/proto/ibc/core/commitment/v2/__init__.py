"""Messages below ibc/core/commitment/v2/ (generated)."""
