"""Messages below cosmos/staking/ (generated)."""
