"""Messages below cosmos/crypto/secp256k1/ (generated)."""
