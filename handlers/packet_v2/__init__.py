"""Packet messages of IBC v2."""
