"""The plugin of the early protocol's queues."""
