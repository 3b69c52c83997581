"""Messages below tendermint/abci/ (generated)."""
