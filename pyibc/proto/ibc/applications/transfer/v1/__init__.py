"""Messages below ibc/applications/transfer/v1/ (generated)."""
