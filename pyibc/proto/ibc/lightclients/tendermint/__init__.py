"""Messages below ibc/lightclients/tendermint/ (generated)."""
