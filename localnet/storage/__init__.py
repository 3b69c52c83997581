"""Storage of a chain: blocks and recovery after a crash."""
