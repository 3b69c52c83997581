"""The messages of the queue protocol, one a file (docs/queue-protocol.md)."""
