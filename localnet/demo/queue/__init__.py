"""The demo of the early protocol: queues between two chains, and of a channel."""
