"""Pending packets of one path in one direction, and the stage of each (ICS-18).

The blocks of the two chains are read independently, so their events are interleaved in any order. The result
is the same for every interleaving that keeps each chain's own order.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple, TypeVar

from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet import events as packet_events
from pyibc.core.packet_v2.types import NS_PER_S, PacketV2
from pyibc.relayer.packets.packets import (
    AnyPacket,
    AnyPacketEvent,
    acknowledgement_commitment_of,
    commitment_of,
)

# -- sequences and timeouts of pending packets, kept in the orders in which a plan reads them

_K = TypeVar("_K", int, Height)


class OrderedSequences:
    """Set of sequences in ascending order; nothing is sorted if they are added in that order."""

    def __init__(self) -> None:
        """Start with no sequences."""
        self._known: dict[int, None] = {}
        self._highest = 0
        self._sorted = True

    def add(self, sequence: int) -> None:
        """Add a sequence."""
        if sequence not in self._known:
            self._sorted = self._sorted and (sequence > self._highest or not self._known)
            self._highest = sequence if not self._known else max(self._highest, sequence)
            self._known[sequence] = None

    def discard(self, sequence: int) -> None:
        """Remove a sequence, if it is there."""
        self._known.pop(sequence, None)

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[int]:
        if not self._sorted:
            self._known = dict.fromkeys(sorted(self._known))
            self._sorted = True
        return iter(self._known)


class Deadlines:
    """Timeouts of packets, earliest first: those that have passed are found without reading the others."""

    def __init__(self) -> None:
        """Start with no packets."""
        self._times: list[tuple[int, int]] = []  # unix nanoseconds, sequence
        self._heights: list[tuple[Height, int]] = []

    def add(self, packet: AnyPacket) -> None:
        """Add a packet's timeouts."""
        time_ns, height = _deadline(packet)
        if time_ns:
            insort(self._times, (time_ns, packet.sequence))
        if height != ZERO_HEIGHT:
            insort(self._heights, (height, packet.sequence))

    def discard(self, packet: AnyPacket) -> None:
        """Remove a packet that was added."""
        time_ns, height = _deadline(packet)
        _remove(self._times, (time_ns, packet.sequence))
        _remove(self._heights, (height, packet.sequence))

    def passed(self, height: Height, time_ns: int) -> list[int]:
        """Return the sequences of packets timed out at this height and time of the receiver, ascending."""
        by_time = self._times[: bisect_right(self._times, (time_ns, MAX_U64))]
        by_height = self._heights[: bisect_right(self._heights, (height, MAX_U64))]
        return sorted({each[1] for each in (*by_time, *by_height)})


def _deadline(packet: AnyPacket) -> tuple[int, Height]:
    if isinstance(packet, PacketV2):
        return packet.timeout_s_on_b * NS_PER_S, ZERO_HEIGHT
    return packet.timeout_ns_on_b, packet.timeout_height_on_b


def _remove(listed: list[tuple[_K, int]], entry: tuple[_K, int]) -> None:
    at = bisect_left(listed, entry)
    if at < len(listed) and listed[at] == entry:
        del listed[at]


# -- pending packets


class Stage(IntEnum):
    """Stage of a pending packet."""

    SENT = 1
    RECEIVED = 2  # its acknowledgement is not written yet (asynchronous)
    ACKNOWLEDGED = 3  # the receiver has written the acknowledgement; the sender has not received it


class PendingPacket(NamedTuple):
    """Packet whose life cycle is not finished."""

    packet: AnyPacket
    stage: Stage
    height: int  # of the block in which it reached this stage, on the chain where that happened
    acknowledgement: bytes = b""  # in IBC v2 the protobuf message


def is_committed(pending: PendingPacket, commitment: bytes) -> bool:
    """Return whether the data of an event match the commitment in state of the chain that emitted it.

    Args:
        pending: the packet; at stage ACKNOWLEDGED its acknowledgement is compared.
        commitment: the chain's commitment; empty: unknown, which matches everything.
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

    def __init__(self, order: Order) -> None:
        """Start with no packets."""
        self.order = order
        self.next_sequence_recv = 1  # of the receiver, for ordered channels
        self.packets: dict[int, PendingPacket] = {}  # changed only by `put` and `drop`
        self.changed: set[int] = set()  # sequences to save
        self.missing: set[int] = set()  # sequences in state whose event was not read yet
        self.ended: dict[int, int] = {}  # the sender's height at which a packet was completed
        self._by_stage = {stage: OrderedSequences() for stage in Stage}
        self._deadlines = Deadlines()
        self._acknowledged_early: set[int] = set()
        """Packets acknowledged on the sender whose acknowledgement was not read on the receiver yet."""

    def put(self, sequence: int, pending: PendingPacket) -> None:
        """Record a packet's new stage."""
        self._unlist(sequence)
        self.packets[sequence] = pending
        self._by_stage[pending.stage].add(sequence)
        if pending.stage == Stage.SENT:
            self._deadlines.add(pending.packet)
        self.changed.add(sequence)
        self.missing.discard(sequence)

    def drop(self, sequence: int) -> None:
        """Remove a packet whose life cycle is finished."""
        if sequence in self.packets:
            self._unlist(sequence)
            del self.packets[sequence]
            self.changed.add(sequence)

    def forget(self, sequence: int) -> None:
        """Remove a packet that is completed according to the sender's state; its events may follow."""
        known = self.packets.get(sequence)
        if known is not None and known.stage != Stage.ACKNOWLEDGED:
            self._acknowledged_early.add(sequence)
        self.drop(sequence)

    def mark_received(self, sequence: int) -> None:
        """Record that the receiver has the packet, without an event."""
        known = self.packets.get(sequence)
        if known is not None and known.stage == Stage.SENT:
            self.put(sequence, known._replace(stage=Stage.RECEIVED))

    def observe(self, event: AnyPacketEvent, height: int) -> None:
        """Apply an event of these packets, from block `height` of the chain that emitted it."""
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
        """Return the sequences of packets at a stage, ascending; sorted only if added in another order."""
        return iter(self._by_stage[stage])

    def count(self, stage: Stage) -> int:
        """Return the number of packets at a stage."""
        return len(self._by_stage[stage])

    def oldest(self) -> int:
        """Return the lowest sequence; 0 if there is none."""
        return min((next(iter(each)) for each in self._by_stage.values() if len(each)), default=0)

    def first_unacknowledged(self) -> int | None:
        """Return the lowest sequence without a known acknowledgement; on ordered channels later ones wait."""
        lowest = [next(iter(self._by_stage[stage]), None) for stage in (Stage.SENT, Stage.RECEIVED)]
        return min([*(each for each in lowest if each is not None), *self.missing], default=None)

    def due(self, height: Height, time_ns: int) -> list[int]:
        """Return sequences of packets sent, not received and timed out on the receiver, ascending."""
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
