"""Storage of a chain: blocks, signing records, retention, and recovery after a crash."""
