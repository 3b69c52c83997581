"""Message handlers of the queue protocol, one module per message (docs/queue-protocol.md)."""
