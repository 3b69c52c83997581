"""Messages below cosmos/base/tendermint/v1beta1/ (generated)."""
