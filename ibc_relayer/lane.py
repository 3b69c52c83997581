"""A lane: the packets of one path in one direction, and how far each has come (ICS-18).

The two chains' blocks are read independently, so their events arrive interleaved in any way; the fold
below gives the same lane for every interleaving that keeps each chain's own order.
"""

from enum import IntEnum
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_core.packet import event_reader as packet_events
from ibc_relayer.packets import AnyPacket, AnyPacketEvent


class Stage(IntEnum):
    """The last thing known of a packet that is not done."""

    SENT = 1
    RECEIVED = 2  # by the receiver, whose application has not answered yet
    ANSWERED = 3  # the receiver has written the acknowledgement


class Pending(NamedTuple):
    """A packet on its way."""

    packet: AnyPacket
    stage: Stage
    height: int  # of the block that brought it to this stage, on the chain where that happened
    acknowledgement: bytes = b""  # in IBC v2 the protobuf message


class Lane:
    """Packets from one end of a path to the other."""

    def __init__(self, order: Order, next_sequence_recv: int = 1) -> None:
        """An empty lane; `next_sequence_recv` is the receiver's, which matters on ordered channels."""
        self.order = order
        self.next_sequence_recv = next_sequence_recv
        self.pending: dict[int, Pending] = {}
        self.changed: set[int] = set()  # sequences to be saved
        self._acknowledged_early: set[int] = set()  # done on the sender before the answer was read

    def put(self, sequence: int, pending: Pending) -> None:
        """Records a packet's new stage."""
        self.pending[sequence] = pending
        self.changed.add(sequence)

    def drop(self, sequence: int) -> None:
        """Forgets a packet that needs nothing more."""
        if self.pending.pop(sequence, None) is not None:
            self.changed.add(sequence)

    def mark_received(self, sequence: int) -> None:
        """Notes that the receiver has the packet, learnt otherwise than from its event."""
        known = self.pending.get(sequence)
        if known is not None and known.stage == Stage.SENT:
            self.put(sequence, known._replace(stage=Stage.RECEIVED))

    def observe(self, event: AnyPacketEvent, height: int) -> None:
        """Takes in an event of this lane from block `height` of the chain that emitted it."""
        match event.kind:
            case packet_events.SEND_PACKET:
                self._sent(event, height)
            case packet_events.RECV_PACKET:
                self._received(event, height)
            case packet_events.WRITE_ACKNOWLEDGEMENT:
                self._answered(event, height)
            case packet_events.ACKNOWLEDGE_PACKET:
                self._acknowledged(event.packet.sequence)
            case _:
                self.drop(event.packet.sequence)  # timed out

    def in_order(self) -> list[tuple[int, Pending]]:
        """Everything pending, by sequence."""
        return sorted(self.pending.items())

    def _sent(self, event: AnyPacketEvent, height: int) -> None:
        sequence = event.packet.sequence
        if sequence not in self.pending:
            self.put(sequence, Pending(event.packet, Stage.SENT, height))

    def _received(self, event: AnyPacketEvent, height: int) -> None:
        sequence = event.packet.sequence
        self.next_sequence_recv = max(self.next_sequence_recv, sequence + 1)
        if sequence not in self._acknowledged_early:
            self.put(sequence, Pending(event.packet, Stage.RECEIVED, height))

    def _answered(self, event: AnyPacketEvent, height: int) -> None:
        sequence = event.packet.sequence
        if sequence in self._acknowledged_early:
            self._acknowledged_early.remove(sequence)
        else:
            self.put(sequence, Pending(event.packet, Stage.ANSWERED, height, event.acknowledgement))

    def _acknowledged(self, sequence: int) -> None:
        known = self.pending.get(sequence)
        if known is None or known.stage != Stage.ANSWERED:
            self._acknowledged_early.add(sequence)
        self.drop(sequence)
