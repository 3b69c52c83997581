"""Messages below cosmos/tx/signing/v1beta1/ (generated)."""
