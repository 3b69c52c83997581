"""What leads from one chain to another: a channel, a pair of clients of IBC v2, and queues."""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_relayer.open_channel import ChannelParams
from ibc_relayer.open_clients import make_client_path
from ibc_relayer.open_connection import open_connection
from ibc_relayer.open_path import make_channel, make_clients
from ibc_relayer.path import AnyPath, Path
from ibc_relayer.queue.path import QueuePath, make_queue_path
from ibc_testing.clock import SECOND
from localnet.endpoint import LocalEndpoint

DELAY_NS = 20 * SECOND
"""Of a connection with a delay: by then each chain has made a few blocks."""


class Route(NamedTuple):
    """One of them."""

    nodes: tuple[int, int]  # numbers of the chains at its ends `a` and `b`
    path: AnyPath | QueuePath


def opened(chains: Sequence[LocalEndpoint], *, v2: bool) -> tuple[Route, ...]:
    """Opens a channel, a pair of clients, and queues.

    Args:
        chains: three of them; each has two routes.
        v2: whether the clients are between the first two chains, and the channel between the last two,
            over a connection with a delay.
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
