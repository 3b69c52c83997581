"""`06-solomachine` (ICS-6): a key that signs for itself, with a sequence that each signature uses up."""
