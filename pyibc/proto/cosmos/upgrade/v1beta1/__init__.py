"""Messages below cosmos/upgrade/v1beta1/ (generated)."""
