"""Messages below cosmos/tx/v1beta1/ (generated)."""
