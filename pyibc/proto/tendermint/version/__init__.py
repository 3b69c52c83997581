"""Messages below tendermint/version/ (generated)."""
