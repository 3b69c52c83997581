"""Packets of IBC v2."""
