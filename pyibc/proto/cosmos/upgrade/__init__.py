"""Messages below cosmos/upgrade/ (generated)."""
