"""Messages below ibc/core/connection/v1/ (generated)."""
