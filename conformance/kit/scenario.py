"""Two chains with packets, channels and connections at every stage, ready for any message.

Built once and used through uncommitted `StagedBlock`s, so every test starts from the same state.
"""

from typing import NamedTuple

from conformance.kit.messages import Messages
from conformance.kit.outcomes import must
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import Extra, PairedChain
from conformance.kit.scripted_app import REFUSED, VERSION, ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.block import TxOutcome
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.relayer.paths.path import Path
from pyibc.testing.pair import SECOND

ACK = acks.success()
REFUSAL = acks.failure(ScriptedRefusal("on_recv_packet"))
LATE_AFTER_S = 3_600


class Packets(NamedTuple):
    """Packets from A to B on one channel, in the order they were sent."""

    done: Packet  # acknowledged
    received: Packet  # acknowledged on B, not yet relayed to A
    fresh: Packet  # not received by B
    beyond: Packet  # not received by B either


class HalfOpen(NamedTuple):
    """Identifiers of ends whose handshake is incomplete."""

    init_on_a: str  # A INIT, nothing on B
    tried: tuple[str, str]  # A INIT, B TRYOPEN
    acked: tuple[str, str]  # A OPEN, B TRYOPEN


class Scenario:
    """The two chains and the identifiers of everything on them.

    Packets go from A to B over the scripted application:

    - `unordered`, `ordered`: open channels with `Packets`; `refused` got an error acknowledgement (unordered)
    - `late_unordered`, `late_ordered`: their packets, in `expired`, have timed out on B
    - `closed_unordered`, `closed_ordered`: CLOSED on B and OPEN on A; their packets are in `stranded`
    """

    def __init__(self, extra: Extra = ()) -> None:
        """Create it; `extra` are additional plugins of each chain."""
        pair = Pair.connected(extra=extra)
        self.pair = pair
        self.a, self.b = pair.a, pair.b
        self.to_a, self.to_b = Messages(pair, pair.a), Messages(pair, pair.b)
        self.connection_a = pair.transfer.a.connection_id
        self.connection_b = pair.transfer.b.connection_id
        self.unordered, self.late_unordered, self.closed_unordered = self._open(Order.UNORDERED)
        self.ordered, self.late_ordered, self.closed_ordered = self._open(Order.ORDERED)
        late = {Order.UNORDERED: self.late_unordered, Order.ORDERED: self.late_ordered}
        until = pair.clock.now_ns + LATE_AFTER_S * SECOND
        self.expired = {
            order: pair.a.send(path.a, path.b, b"late", ZERO_HEIGHT, until) for order, path in late.items()
        }
        closed = {Order.UNORDERED: self.closed_unordered, Order.ORDERED: self.closed_ordered}
        self.stranded = {order: pair.a.send(path.a, path.b, b"stranded") for order, path in closed.items()}
        self.packets = {
            Order.UNORDERED: self._packets(self.unordered),
            Order.ORDERED: self._packets(self.ordered),
        }
        self.refused = pair.a.send(self.unordered.a, self.unordered.b, REFUSED)
        pair.sync()
        self._deliver()
        pair.clock.advance(2 * LATE_AFTER_S * SECOND)
        self.connections = self._connections()
        self.channels = self._channels()
        for path in closed.values():
            must(pair.b.submit(self.to_b.channel_close_init(path.b.channel_id)))
        pair.sync()

    def stage(self, side: PairedChain, time_ns: int | None = None) -> StagedBlock:
        """Return an empty next block of a chain."""
        return StagedBlock(side.chain, time_ns)

    def path(self, order: Order) -> Path:
        """Return the open channel with that ordering."""
        return self.ordered if order is Order.ORDERED else self.unordered

    def _open(self, order: Order) -> tuple[Path, Path, Path]:
        first, second, third = (self.pair.open(self.pair.ports, order, VERSION) for _ in range(3))
        return first, second, third

    def _packets(self, path: Path) -> Packets:
        return Packets(*(self.a.send(path.a, path.b, name.encode()) for name in Packets._fields))

    def _deliver(self) -> None:
        """Relay `done` both ways, and `received` and `refused` to B."""
        for packets in self.packets.values():
            must(self.b.submit(self.to_b.recv(packets.done), self.to_b.recv(packets.received)))
        must(self.b.submit(self.to_b.recv(self.refused)))
        self.pair.sync()
        for packets in self.packets.values():
            must(self.a.submit(self.to_a.acknowledge(packets.done, ACK)))

    def _connections(self) -> HalfOpen:
        ids = [self._init_connection() for _ in range(3)]
        self.pair.sync()
        far = [
            attribute(must(self.b.submit(self.to_b.connection_open_try(name))), "connection_id")
            for name in ids[1:]
        ]
        self.pair.sync()
        must(self.a.submit(self.to_a.connection_open_ack(ids[2], far[1])))
        return HalfOpen(ids[0], (ids[1], far[0]), (ids[2], far[1]))

    def _init_connection(self) -> str:
        return attribute(must(self.a.submit(self.to_a.connection_open_init())), "connection_id")

    def _channels(self) -> HalfOpen:
        ids = [self._init_channel() for _ in range(3)]
        self.pair.sync()
        far = [
            attribute(must(self.b.submit(self.to_b.channel_open_try(self.connection_b, name))), "channel_id")
            for name in ids[1:]
        ]
        self.pair.sync()
        must(self.a.submit(self.to_a.channel_open_ack(ids[2], far[1])))
        return HalfOpen(ids[0], (ids[1], far[0]), (ids[2], far[1]))

    def _init_channel(self) -> str:
        message = self.to_a.channel_open_init(self.connection_a)
        return attribute(must(self.a.submit(message)), "channel_id")


def attribute(outcome: TxOutcome, key: str) -> str:
    """Return the value of the first event attribute `key` of a transaction.

    Raises:
        LookupError: no event has the attribute.
    """
    for _, attributes in outcome.events:
        for name, text in attributes:
            if name == key:
                return text
    raise LookupError(f"no event has {key!r}")
