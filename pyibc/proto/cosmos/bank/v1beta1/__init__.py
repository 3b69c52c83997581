"""Messages below cosmos/bank/v1beta1/ (generated)."""
