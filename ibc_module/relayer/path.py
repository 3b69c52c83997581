"""A path: two clients, a connection and a channel between two chains, by the names each chain gave them."""

from typing import Literal, NamedTuple

from ibc_module.core.channel import Order

Side = Literal[0, 1]
"""Which of a path's two chains: 0 is `a`, 1 is `b`."""
SIDES: tuple[Literal[0], Literal[1]] = (0, 1)


class PathEnd(NamedTuple):
    """One chain's names."""

    chain_id: str
    client_id: str  # on this chain, of the other chain
    connection_id: str
    port_id: str
    channel_id: str


class Path(NamedTuple):
    """A channel and what carries it; `a` is the chain that started the handshake."""

    a: PathEnd
    b: PathEnd
    order: Order
    version: str

    def end(self, side: Side) -> PathEnd:
        """The names on one side."""
        return self.b if side else self.a


def other(side: Side) -> Side:
    """The opposite side."""
    return 0 if side else 1
