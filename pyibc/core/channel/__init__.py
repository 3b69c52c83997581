"""Channels (ICS-4): channel ends, handshake messages and events."""
