"""Messages below cosmos/tx/signing/ (generated)."""
