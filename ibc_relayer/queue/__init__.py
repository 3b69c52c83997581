"""Relays queues by querying their heads and tails, not by events.

[IBC-channels 3.7], [IBC-packets 3.5], [IBC-queues 3.6].
"""
