"""The early protocol's ordered queues."""
