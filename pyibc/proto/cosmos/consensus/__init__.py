"""Messages below cosmos/consensus/ (generated)."""
