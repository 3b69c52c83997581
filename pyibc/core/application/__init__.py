"""Interfaces of applications and middleware, for channels (ICS-26) and for IBC v2."""
