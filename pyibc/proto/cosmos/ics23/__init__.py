"""Messages below cosmos/ics23/ (generated)."""
