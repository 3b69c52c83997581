"""Messages below cosmos/crypto/multisig/v1beta1/ (generated)."""
