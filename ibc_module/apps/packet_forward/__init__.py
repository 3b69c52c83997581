"""Packet forwarding: transfers that go on to another chain, as ibc-go's middleware sends them on.

A middleware on port `transfer` of IBC classic (ICS-30). docs/packet-forwarding.md tells how to use it.
"""
