"""Messages below cosmos/base/v1beta1/ (generated)."""
