"""Relay of queues by queries of their heads and tails, without events.

[IBC-channels 3.7], [IBC-packets 3.5], [IBC-queues 3.6].
"""
