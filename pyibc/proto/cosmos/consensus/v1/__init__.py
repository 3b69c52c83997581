"""Messages below cosmos/consensus/v1/ (generated)."""
