"""Handlers of the client messages."""
