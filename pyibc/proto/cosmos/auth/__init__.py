"""Messages below cosmos/auth/ (generated)."""
