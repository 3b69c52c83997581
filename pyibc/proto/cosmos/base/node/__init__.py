"""Messages below cosmos/base/node/ (generated)."""
