"""Handlers of the packet messages."""
