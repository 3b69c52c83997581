"""Messages below ibc/applications/transfer/ (generated)."""
