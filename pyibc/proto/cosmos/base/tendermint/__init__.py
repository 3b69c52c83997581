"""Messages below cosmos/base/tendermint/ (generated)."""
