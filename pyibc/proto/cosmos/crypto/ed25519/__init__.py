"""Messages below cosmos/crypto/ed25519/ (generated)."""
