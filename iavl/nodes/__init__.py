"""Nodes of the tree: reading, writing, balancing, hashing, proofs."""
