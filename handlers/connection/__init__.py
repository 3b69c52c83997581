"""Handlers of the connection handshake messages."""
