"""Messages below tendermint/types/ (generated)."""
