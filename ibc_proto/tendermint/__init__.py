"""Messages below tendermint/ (generated)."""
