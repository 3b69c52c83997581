"""Connections (ICS-3): connection ends, versions, handshake messages and events."""
