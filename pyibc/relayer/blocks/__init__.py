"""Block reading: in order with a cursor, in parallel from several nodes, and backwards for missing events."""
