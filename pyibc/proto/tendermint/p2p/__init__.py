"""Messages below tendermint/p2p/ (generated)."""
