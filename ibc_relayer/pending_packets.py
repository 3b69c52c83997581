"""The pending packets of one path in one direction, and how far each has come (ICS-18).

The blocks of the two chains are read independently, so their events arrive interleaved in any way; the fold
below gives the same result for every interleaving that keeps each chain's own order.
"""

from enum import IntEnum
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_core.packet import event_reader as packet_events
from ibc_relayer.packets import AnyPacket, AnyPacketEvent


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


class PendingPackets:
    """Packets from one end of a path to the other."""

    def __init__(self, order: Order, next_sequence_recv: int = 1) -> None:
        """No packets; `next_sequence_recv` is the receiver's, which matters on ordered channels."""
        self.order = order
        self.next_sequence_recv = next_sequence_recv
        self.packets: dict[int, PendingPacket] = {}
        self.changed: set[int] = set()  # sequences to be saved
        self._acknowledged_early: set[int] = (
            set()
        )  # acknowledged on the sender, before the acknowledgement was read from the receiver's blocks

    def put(self, sequence: int, pending: PendingPacket) -> None:
        """Records a packet's new stage."""
        self.packets[sequence] = pending
        self.changed.add(sequence)

    def drop(self, sequence: int) -> None:
        """Removes a packet whose life cycle is finished."""
        if self.packets.pop(sequence, None) is not None:
            self.changed.add(sequence)

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
                self._acknowledged(event.packet.sequence)
            case _:
                self.drop(event.packet.sequence)  # timed out

    def in_order(self) -> list[tuple[int, PendingPacket]]:
        """All packets, by sequence."""
        return sorted(self.packets.items())

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

    def _acknowledged(self, sequence: int) -> None:
        known = self.packets.get(sequence)
        if known is None or known.stage != Stage.ACKNOWLEDGED:
            self._acknowledged_early.add(sequence)
        self.drop(sequence)
