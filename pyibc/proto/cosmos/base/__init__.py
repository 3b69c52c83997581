"""Messages below cosmos/base/ (generated)."""
