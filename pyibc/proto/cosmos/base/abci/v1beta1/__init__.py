"""Messages below cosmos/base/abci/v1beta1/ (generated)."""
