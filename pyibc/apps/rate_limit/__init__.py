"""Rate limits of ICS-20 (ibc-go's rate-limiting middleware): net flow per coin and channel or client.

Middleware on port `transfer` of IBC v1 and v2 (ICS-30). Guide: docs/rate-limits.md.
"""
