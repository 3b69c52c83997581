"""What leads from one chain to another: a channel, a pair of clients of IBC v2, and queues."""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_relayer.open_clients import make_client_path
from ibc_relayer.open_path import make_path
from ibc_relayer.path import AnyPath
from ibc_relayer.queue.path import QueuePath, make_queue_path
from localnet.endpoint import LocalEndpoint


class Route(NamedTuple):
    """One of them."""

    nodes: tuple[int, int]  # numbers of the chains at its ends `a` and `b`
    path: AnyPath | QueuePath


def opened(chains: Sequence[LocalEndpoint], *, v2: bool) -> tuple[Route, ...]:
    """Opens a channel, a pair of clients, and queues.

    Args:
        chains: three of them; each has two routes.
        v2: whether the clients are between the first two chains, and the channel between the last two.
    """
    channel, clients = ((1, 2), (0, 1)) if v2 else ((0, 1), (1, 2))
    a, b = (chains[each] for each in channel)
    path = make_path(a, b, "transfer", Order.UNORDERED, "ics20-1")
    a, b = (chains[each] for each in clients)
    pair = make_client_path(a, b)
    queues = make_queue_path(chains[0], chains[2])
    return Route(channel, path), Route(clients, pair), Route((0, 2), queues)
