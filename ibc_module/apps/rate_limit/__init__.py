"""Rate limits of ICS-20: how much of a coin may leave or enter over a channel or client in one window.

A middleware on port `transfer` of IBC v1 and v2 (ICS-30). docs/middleware.md tells how to use it.
"""
