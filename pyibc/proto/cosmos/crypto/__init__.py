"""Messages below cosmos/crypto/ (generated)."""
