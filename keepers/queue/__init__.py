"""Keepers of the early protocol's queues."""
