"""Messages below cosmos/base/query/v1beta1/ (generated)."""
