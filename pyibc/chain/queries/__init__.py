"""Queries that the host chain answers: state with proofs, node information, the transaction service."""
