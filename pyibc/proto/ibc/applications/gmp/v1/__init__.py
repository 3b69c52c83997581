"""Messages below ibc/applications/gmp/v1/ (generated)."""
