"""Messages below cosmos/bank/ (generated)."""
