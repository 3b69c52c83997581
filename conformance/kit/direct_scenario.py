"""Two direct modules with channels and packets at every stage, for calls that are never committed."""

from typing import NamedTuple

from conformance.kit.direct_module import DirectModules, opening, packet_between
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet

ORDERS = (Order.UNORDERED, Order.ORDERED)


class EndNames(NamedTuple):
    """Channel identifiers of both ends."""

    a: str
    b: str


def end_names(what: str, order: Order = Order.UNORDERED) -> EndNames:
    """Return the channel identifiers of a channel of the scenario."""
    kind = "o" if order is Order.ORDERED else "u"
    return EndNames(f"{what}-{kind}-on-a", f"{what}-{kind}-on-b")


class DirectScenario:
    """Channels and packets of both orderings; `end_names(what, order)` gives a channel's identifiers.

    - `open`: B acknowledged `received[order]` with b"done", not yet relayed; `fresh[order]` is in flight
    - `late`: `expired[order]` has timed out on B
    - `shut`: CLOSED on B; `stranded[order]` can no longer be received
    - `gone`: CLOSED on both ends
    - `init`: INIT on A; `tried`: TRYOPEN on B too; `acked`: OPEN on A (all unordered)
    - `both`: INIT on A and on B, each naming the other
    """

    def __init__(self) -> None:
        self.net = DirectModules(optimistic_sends=2)
        self.on_a, self.on_b = self.net.calls_on_a, self.net.calls_on_b
        self.received: dict[Order, Packet] = {}
        self.fresh: dict[Order, Packet] = {}
        self.expired: dict[Order, Packet] = {}
        self.stranded: dict[Order, Packet] = {}
        for order in ORDERS:
            self._open(order)
            self._late(order)
            self._closed(order)
        self._half_open()

    def _open(self, order: Order) -> None:
        ends = end_names("open", order)
        self.net.open(*ends, order)
        self.received[order] = packet_between(1, *ends, b"received")
        self.fresh[order] = packet_between(2, *ends, b"fresh")
        self.net.on_a(self.on_a.send(self.received[order]))
        self.net.on_a(self.on_a.send(self.fresh[order]))
        self.net.on_b(self.on_b.recv(self.received[order]))

    def _late(self, order: Order) -> None:
        ends = end_names("late", order)
        self.net.open(*ends, order)
        until = Height(1, self.net.b.chain.height + 3)
        self.expired[order] = packet_between(1, *ends, b"late", timeout_height_on_b=until)
        self.net.on_a(self.on_a.send(self.expired[order]))
        for _ in range(3):
            self.net.pair.sync()

    def _closed(self, order: Order) -> None:
        for what in ("shut", "gone"):
            self.net.open(*end_names(what, order), order)
        self.stranded[order] = packet_between(1, *end_names("shut", order), b"stranded")
        self.net.on_a(self.on_a.send(self.stranded[order]))
        for what in ("shut", "gone"):
            self.net.on_b(self.on_b.close_init(end_names(what, order).b))
        gone = end_names("gone", order)
        self.net.on_a(self.on_a.close_confirm(gone.a, gone.b))

    def _half_open(self) -> None:
        for what in ("init", "tried", "acked", "both"):
            ends = end_names(what)
            self.net.on_a(self.on_a.open_init(opening(ends.a, ends.b)))
        for what in ("tried", "acked"):
            ends = end_names(what)
            self.net.on_b(self.on_b.open_try(opening(ends.b, ends.a)))
        acked, both = end_names("acked"), end_names("both")
        self.net.on_a(self.on_a.open_ack(acked.a, acked.b))
        self.net.on_b(self.on_b.open_init(opening(both.b, both.a)))
