"""Building blocks for tests: chains, hand-made messages, and tables of refusals."""
