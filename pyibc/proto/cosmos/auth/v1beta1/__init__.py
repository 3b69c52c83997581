"""Messages below cosmos/auth/v1beta1/ (generated)."""
