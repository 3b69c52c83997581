"""A path between two chains: the identifiers on each of them.

A channel over a connection over two clients, or (IBC v2) two clients alone.
"""

from typing import Literal, NamedTuple

from ibc_core.channel.types import Order

Side = Literal[0, 1]
"""Which of a path's two chains: 0 is `a`, 1 is `b`."""
SIDES: tuple[Literal[0], Literal[1]] = (0, 1)


EndName = tuple[str, ...]
"""How packets name an end: port and channel; in IBC v2 the client alone."""


class PathEnd(NamedTuple):
    """The identifiers on one chain."""

    chain_id: str
    client_id: str  # on this chain, of the other chain
    connection_id: str
    port_id: str
    channel_id: str

    @property
    def name(self) -> EndName:
        """How packets name it."""
        return self.port_id, self.channel_id


class Path(NamedTuple):
    """A channel, its connection and clients; `a` is the chain that started the handshake."""

    a: PathEnd
    b: PathEnd
    order: Order
    version: str

    def end(self, side: Side) -> PathEnd:
        """The identifiers on one side."""
        return self.b if side else self.a


class ClientEnd(NamedTuple):
    """One chain's end of an IBC v2 path."""

    chain_id: str
    client_id: str  # on this chain, of the other chain

    @property
    def name(self) -> EndName:
        """How packets name it."""
        return (self.client_id,)


class ClientPath(NamedTuple):
    """Two clients, each registered as the other's counterparty (IBC v2)."""

    a: ClientEnd
    b: ClientEnd

    @property
    def order(self) -> Order:
        """Packets between clients are unordered."""
        return Order.UNORDERED

    def end(self, side: Side) -> ClientEnd:
        """The client on one side."""
        return self.b if side else self.a


AnyPath = Path | ClientPath
AnyEnd = PathEnd | ClientEnd


def other(side: Side) -> Side:
    """The opposite side."""
    return 0 if side else 1
