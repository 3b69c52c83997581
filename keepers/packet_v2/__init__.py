"""Keeper of packets of IBC v2."""
