"""Messages below cosmos/base/node/v1beta1/ (generated)."""
