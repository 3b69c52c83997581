"""Accounts of the host chain: numbers, sequences, public keys."""
