"""Messages below cosmos/crypto/multisig/ (generated)."""
