"""Connections (ICS-3): ends, versions, events."""
