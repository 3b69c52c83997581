"""Messages below cosmos/ics23/v1/ (generated)."""
