"""The pending packets of one path in one direction, and how far each has come (ICS-18).

The blocks of the two chains are read independently, so their events arrive interleaved in any way; the fold
below gives the same result for every interleaving that keeps each chain's own order.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_core.height import Height
from ibc_core.packet import event_reader as packet_events
from ibc_relayer.ordered_sequences import Deadlines, OrderedSequences
from ibc_relayer.packets import (
    AnyPacket,
    AnyPacketEvent,
    acknowledgement_commitment_of,
    commitment_of,
)


class Stage(IntEnum):
    """How far a pending packet has come."""

    SENT = 1
    RECEIVED = 2  # its acknowledgement is not written yet (asynchronous)
    ACKNOWLEDGED = 3  # the receiver has written the acknowledgement; the sender has not got it


class PendingPacket(NamedTuple):
    """A packet whose life cycle is not finished."""

    packet: AnyPacket
    stage: Stage
    height: int  # of the block in which it reached this stage, on the chain where that happened
    acknowledgement: bytes = b""  # in IBC v2 the protobuf message


def is_committed(pending: PendingPacket, commitment: bytes) -> bool:
    """Whether what an event told of a packet is what the chain that emitted it has committed to.

    Args:
        pending: acknowledged: its acknowledgement is meant, otherwise the packet.
        commitment: as the chain's state has it; empty: unknown, and nothing contradicts.
    """
    # guard: h123-an-event-is-not-compared-with-its-commitment always
    #   test_h123_events_that_say_something_else_once
    if not commitment:
        return True
    if pending.stage != Stage.ACKNOWLEDGED:
        return commitment_of(pending.packet) == commitment
    return acknowledgement_commitment_of(pending.packet, pending.acknowledgement) == commitment


class PendingPackets:
    """Packets from one end of a path to the other."""

    def __init__(self, order: Order, next_sequence_recv: int = 1) -> None:
        """No packets; `next_sequence_recv` is the receiver's, which matters on ordered channels."""
        self.order = order
        self.next_sequence_recv = next_sequence_recv
        self.packets: dict[int, PendingPacket] = {}  # read it, change it by `put` and `drop` alone
        self.changed: set[int] = set()  # sequences to be saved
        self.missing: set[int] = set()  # sequences that the state knows and no event has told of yet
        self.ended: dict[int, int] = {}  # block of the sender in which a packet came to its end
        self._by_stage = {stage: OrderedSequences() for stage in Stage}
        self._deadlines = Deadlines()
        self._acknowledged_early: set[int] = (
            set()
        )  # acknowledged on the sender, before the acknowledgement was read from the receiver's blocks

    def put(self, sequence: int, pending: PendingPacket) -> None:
        """Records a packet's new stage."""
        self._unlist(sequence)
        self.packets[sequence] = pending
        self._by_stage[pending.stage].add(sequence)
        if pending.stage == Stage.SENT:
            self._deadlines.add(pending.packet)
        self.changed.add(sequence)
        self.missing.discard(sequence)

    def drop(self, sequence: int) -> None:
        """Removes a packet whose life cycle is finished."""
        if sequence in self.packets:
            self._unlist(sequence)
            del self.packets[sequence]
            self.changed.add(sequence)

    def forget(self, sequence: int) -> None:
        """Removes a packet that has come to its end, as the sender's state says; its events may follow."""
        known = self.packets.get(sequence)
        if known is not None and known.stage != Stage.ACKNOWLEDGED:
            self._acknowledged_early.add(sequence)
        self.drop(sequence)

    def mark_received(self, sequence: int) -> None:
        """Records that the receiver has the packet, where that was not learnt from an event."""
        known = self.packets.get(sequence)
        if known is not None and known.stage == Stage.SENT:
            self.put(sequence, known._replace(stage=Stage.RECEIVED))

    def observe(self, event: AnyPacketEvent, height: int) -> None:
        """Applies an event of these packets, from block `height` of the chain that emitted it."""
        match event.kind:
            case packet_events.SEND_PACKET:
                self._sent(event, height)
            case packet_events.RECV_PACKET:
                self._received(event, height)
            case packet_events.WRITE_ACKNOWLEDGEMENT:
                self._acknowledgement_written(event, height)
            case packet_events.ACKNOWLEDGE_PACKET:
                self._acknowledged(event.packet.sequence, height)
            case _:
                self._end(event.packet.sequence, height)  # timed out

    def sequences(self, stage: Stage) -> Iterator[int]:
        """Those of the packets at a stage, ascending; nothing is sorted unless they came in another order."""
        return iter(self._by_stage[stage])

    def count(self, stage: Stage) -> int:
        """How many packets are at a stage."""
        return len(self._by_stage[stage])

    def oldest(self) -> int:
        """The lowest sequence; 0 if there is none."""
        return min((next(iter(each)) for each in self._by_stage.values() if len(each)), default=0)

    def first_unanswered(self) -> int | None:
        """The lowest sequence whose acknowledgement is not known: on ordered channels later ones wait."""
        lowest = [next(iter(self._by_stage[stage]), None) for stage in (Stage.SENT, Stage.RECEIVED)]
        return min([*(each for each in lowest if each is not None), *self.missing], default=None)

    def due(self, height: Height, time_ns: int) -> list[int]:
        """Sequences of packets sent and not received whose timeout has passed on the receiver, ascending."""
        return self._deadlines.passed(height, time_ns)

    def _unlist(self, sequence: int) -> None:
        known = self.packets.get(sequence)
        if known is not None:
            self._by_stage[known.stage].discard(sequence)
            if known.stage == Stage.SENT:
                self._deadlines.discard(known.packet)

    def _end(self, sequence: int, height: int) -> None:
        self.ended[sequence] = height
        self.missing.discard(sequence)
        self.drop(sequence)

    def _sent(self, event: AnyPacketEvent, height: int) -> None:
        sequence = event.packet.sequence
        if sequence not in self.packets:
            self.put(sequence, PendingPacket(event.packet, Stage.SENT, height))

    def _received(self, event: AnyPacketEvent, height: int) -> None:
        sequence = event.packet.sequence
        self.next_sequence_recv = max(self.next_sequence_recv, sequence + 1)
        if sequence not in self._acknowledged_early:
            self.put(sequence, PendingPacket(event.packet, Stage.RECEIVED, height))

    def _acknowledgement_written(self, event: AnyPacketEvent, height: int) -> None:
        sequence = event.packet.sequence
        if sequence in self._acknowledged_early:
            self._acknowledged_early.remove(sequence)
        else:
            self.put(sequence, PendingPacket(event.packet, Stage.ACKNOWLEDGED, height, event.acknowledgement))

    def _acknowledged(self, sequence: int, height: int) -> None:
        known = self.packets.get(sequence)
        if known is None or known.stage != Stage.ACKNOWLEDGED:
            self._acknowledged_early.add(sequence)
        self._end(sequence, height)
