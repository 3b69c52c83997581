"""Path between two chains: the identifiers on each of them.

A path is a channel over a connection over two clients, or (IBC v2) a pair of clients.
"""

from typing import Literal, NamedTuple

from pyibc.core.channel.types import Order

Side = Literal[0, 1]
"""Side of a path: 0 is chain `a`, 1 is chain `b`."""
SIDES: tuple[Literal[0], Literal[1]] = (0, 1)


EndName = tuple[str, ...]
"""Name of an end in packets: port and channel; in IBC v2 the client alone."""


class PathEnd(NamedTuple):
    """Identifiers on one chain."""

    chain_id: str
    client_id: str  # on this chain, of the other chain
    connection_id: str
    port_id: str
    channel_id: str

    @property
    def name(self) -> EndName:
        """Name in packets."""
        return self.port_id, self.channel_id


class Path(NamedTuple):
    """Channel, its connection and clients; `a` is the chain that started the handshake."""

    a: PathEnd
    b: PathEnd
    order: Order
    version: str

    def end(self, side: Side) -> PathEnd:
        """Return the identifiers on one side."""
        return self.b if side else self.a


class ClientEnd(NamedTuple):
    """End of an IBC v2 path on one chain."""

    chain_id: str
    client_id: str  # on this chain, of the other chain

    @property
    def name(self) -> EndName:
        """Name in packets."""
        return (self.client_id,)


class ClientPath(NamedTuple):
    """Pair of clients, each registered as the other's counterparty (IBC v2)."""

    a: ClientEnd
    b: ClientEnd

    @property
    def order(self) -> Order:
        """Order of packets: IBC v2 has no order."""
        return Order.UNORDERED

    def end(self, side: Side) -> ClientEnd:
        """Return the client on one side."""
        return self.b if side else self.a


AnyPath = Path | ClientPath
AnyEnd = PathEnd | ClientEnd


def other(side: Side) -> Side:
    """Return the opposite side."""
    return 0 if side else 1
