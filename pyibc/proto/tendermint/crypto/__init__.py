"""Messages below tendermint/crypto/ (generated)."""
