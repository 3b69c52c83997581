"""Messages below cosmos/base/query/ (generated)."""
