"""Handlers of the packet messages of IBC v2."""
