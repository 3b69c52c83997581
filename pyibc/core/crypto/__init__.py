"""Signatures of validators and accounts: Ed25519 by ZIP-215, secp256k1; hash functions."""
