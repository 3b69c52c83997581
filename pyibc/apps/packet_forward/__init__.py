"""Packet forwarding (ibc-go's packet-forward middleware): sends received transfers on to another chain.

Middleware on port `transfer` of IBC v1 (ICS-30). Guide: docs/packet-forwarding.md.
"""
