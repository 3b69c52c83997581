"""Rate limits of ICS-20 (ibc-go's rate limiting): net flow of a coin over a channel or client, by the hour.

A middleware on port `transfer` of IBC v1 and v2 (ICS-30). docs/rate-limits.md tells how to use it.
"""
