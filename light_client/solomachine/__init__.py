"""The `06-solomachine` light client (ICS-6): a key with a sequence that each signature increments."""
