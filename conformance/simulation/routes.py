"""Routes between chains: a channel, a pair of IBC v2 clients, and queues."""

from collections.abc import Sequence
from typing import NamedTuple

from localnet.endpoint import LocalEndpoint
from pyibc.core.channel.types import Order
from pyibc.relayer.paths.open_channel import ChannelParams
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import make_channel, make_client_path, make_clients
from pyibc.relayer.paths.path import AnyPath, Path
from pyibc.relayer.queue.path import QueuePath, make_queue_path
from pyibc.testing.pair import SECOND

DELAY_NS = 20 * SECOND
"""Delay period of the connection with delay, nanoseconds; a few blocks of each chain."""


class Route(NamedTuple):
    """A path between two chains."""

    nodes: tuple[int, int]  # numbers of the chains at ends `a` and `b`
    path: AnyPath | QueuePath


def opened(chains: Sequence[LocalEndpoint], *, v2: bool) -> tuple[Route, ...]:
    """Open a channel, a pair of clients, and queues.

    Args:
        chains: Three chains; each gets two routes.
        v2: Whether the clients are between the first two chains, and the channel between the last
            two, over a
            connection with a delay.
    """
    channel, clients = ((1, 2), (0, 1)) if v2 else ((0, 1), (1, 2))
    a, b = (chains[each] for each in channel)
    path = _channel(a, b, DELAY_NS if v2 else 0)
    a, b = (chains[each] for each in clients)
    pair = make_client_path(a, b)
    queues = make_queue_path(chains[0], chains[2])
    return Route(channel, path), Route(clients, pair), Route((0, 2), queues)


def _channel(a: LocalEndpoint, b: LocalEndpoint, delay_ns: int) -> Path:
    clients = make_clients(a, b)
    connection = open_connection(clients, delay_ns)
    return make_channel(
        clients, ChannelParams(("transfer",) * 2, connection, Order.UNORDERED, "ics20-1"), new=True
    )
