"""Messages below cosmos/tx/ (generated)."""
