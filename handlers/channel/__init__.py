"""Handlers of the channel handshake messages."""
