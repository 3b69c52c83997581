"""Messages below ibc/lightclients/tendermint/v1/ (generated)."""
