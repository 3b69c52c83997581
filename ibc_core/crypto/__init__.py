"""Signatures of validators: Ed25519 by ZIP-215, secp256k1."""
