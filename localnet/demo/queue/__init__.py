"""The demo of the queue protocol: queues between two chains, and queues of a channel."""
