"""Clients (ICS-2): messages, events and types common to all light clients."""
