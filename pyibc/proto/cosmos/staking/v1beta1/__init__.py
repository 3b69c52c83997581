"""Messages below cosmos/staking/v1beta1/ (generated)."""
