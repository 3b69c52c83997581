"""Messages below cosmos/base/abci/ (generated)."""
