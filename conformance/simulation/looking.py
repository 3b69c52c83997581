"""How a relayer finds its path among everything that strangers have opened between two chains."""

from conformance.simulation.routes import Route
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import AmbiguousPath
from ibc_relayer.find_path import find_channel, find_client_path, find_path
from ibc_relayer.path import AnyPath, ClientPath
from ibc_relayer.queue.path import QueuePath, find_queue_path

_DELAY = frozenset({"delay_period"})
_PAST = frozenset({"consensus_states"})


def found(route: Route, a: ChainEndpoint, b: ChainEndpoint, *, is_creator: bool) -> AnyPath | QueuePath:
    """A route's path, as a new relayer process finds it.

    The relayer whose account created the clients discovers the path. If several paths are usable, and for
    every other relayer, the operator names it.

    Args:
        route: the path that should be found.
        a: the chain at the route's first end.
        b: the chain at its second end.
        is_creator: whether the relayer's account created the clients.

    Raises:
        IbcError: as `ibc_relayer.find_path` and `ibc_relayer.queue.path`.
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
