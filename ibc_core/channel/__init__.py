"""Channels (ICS-4): ends, events."""
