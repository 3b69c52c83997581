"""Messages below ibc/core/commitment/ (generated)."""
