"""A path: what carries packets between two chains, by the names each chain gave it.

A channel over a connection over two clients, or (IBC v2) two clients and nothing else.
"""

from typing import Literal, NamedTuple

from ibc_core.channel.types import Order

Side = Literal[0, 1]
"""Which of a path's two chains: 0 is `a`, 1 is `b`."""
SIDES: tuple[Literal[0], Literal[1]] = (0, 1)


EndName = tuple[str, ...]
"""What packets call an end: port and channel; in IBC v2 the client alone."""


class PathEnd(NamedTuple):
    """One chain's names."""

    chain_id: str
    client_id: str  # on this chain, of the other chain
    connection_id: str
    port_id: str
    channel_id: str

    @property
    def name(self) -> EndName:
        """What packets call it."""
        return self.port_id, self.channel_id


class Path(NamedTuple):
    """A channel and what carries it; `a` is the chain that started the handshake."""

    a: PathEnd
    b: PathEnd
    order: Order
    version: str

    def end(self, side: Side) -> PathEnd:
        """The names on one side."""
        return self.b if side else self.a


class ClientEnd(NamedTuple):
    """One chain's end of a path of IBC v2."""

    chain_id: str
    client_id: str  # on this chain, of the other chain

    @property
    def name(self) -> EndName:
        """What packets call it."""
        return (self.client_id,)


class ClientPath(NamedTuple):
    """Two clients, each registered as the other's counterparty (IBC v2)."""

    a: ClientEnd
    b: ClientEnd

    @property
    def order(self) -> Order:
        """Packets between clients come in any order."""
        return Order.UNORDERED

    def end(self, side: Side) -> ClientEnd:
        """The client on one side."""
        return self.b if side else self.a


AnyPath = Path | ClientPath
AnyEnd = PathEnd | ClientEnd


def other(side: Side) -> Side:
    """The opposite side."""
    return 0 if side else 1
