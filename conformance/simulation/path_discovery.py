"""Path discovery by a new relayer process among all channels and clients between two chains."""

from conformance.simulation.routes import Route
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import AmbiguousPath
from pyibc.relayer.paths.discovery import find_channel, find_client_path, find_path
from pyibc.relayer.paths.path import AnyPath, ClientPath
from pyibc.relayer.queue.path import QueuePath, find_queue_path

_DELAY = frozenset({"delay_period"})
_PAST = frozenset({"consensus_states"})


def discovered(route: Route, a: ChainEndpoint, b: ChainEndpoint, *, is_creator: bool) -> AnyPath | QueuePath:
    """Return the path of a route, as a new relayer process discovers it.

    If the relayer's account created the clients, it discovers the path. If several paths are usable, and for
    every other relayer, the operator names the path.

    Args:
        route: The route whose path is expected.
        a: The chain at the route's first end.
        b: The chain at its second end.
        is_creator: Whether the relayer's account created the clients.

    Raises:
        IbcError: see `pyibc.relayer.paths.discovery` and `pyibc.relayer.queue.path`.
    """
    if isinstance(route.path, QueuePath):
        return find_queue_path(a, b, accept=frozenset() if is_creator else _PAST)
    if is_creator:
        try:
            return _looked_for(route.path, a, b)
        except AmbiguousPath:
            pass
    return _named(route.path, a, b)


def _looked_for(path: AnyPath, a: ChainEndpoint, b: ChainEndpoint) -> AnyPath:
    if isinstance(path, ClientPath):
        return find_client_path(a, b)
    ports = path.a.port_id, path.b.port_id
    return find_path(a, b, ports, path.order, path.version, accept=_DELAY)


def _named(path: AnyPath, a: ChainEndpoint, b: ChainEndpoint) -> AnyPath:
    if isinstance(path, ClientPath):
        return find_client_path(a, b, path.a.client_id)
    return find_channel(a, b, path.a.port_id, path.a.channel_id, accept=_DELAY)
