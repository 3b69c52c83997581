"""Messages below ibc/applications/gmp/ (generated)."""
