"""The reference model of channels and packets, and what holds the real code against it."""
