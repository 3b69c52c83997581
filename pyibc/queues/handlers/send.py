"""MsgSend: chain A sends a packet, for a user or for an application.

[IBC-channels 3.4], [IBC-packets 3.3], [ICS5-2019].
"""

from typing import NamedTuple

from handlers.keepers_ref import KeepersRef
from pyibc.core.address import Address
from pyibc.core.errors import LogicFault
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.isolation.limits import check_height, check_record, check_types
from pyibc.isolation.scoped_context import opened
from pyibc.queues import packet as queue_events
from pyibc.queues.application import BoundQueueApp, QueueSending
from pyibc.queues.errors import (
    PacketTimeoutRequired,
    PacketTimeoutTooFar,
    UnknownPacketType,
    UnregisteredDestination,
    WrongPacketSequence,
    WrongSender,
)
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.packet import QueuePacket, Registration, check_packet
from pyibc.queues.states import encode_packet
from pyibc.queues.types import End


class VerifiedSend(NamedTuple):
    """Packet that may be pushed if its application accepts it."""

    registration: Registration
    packet: QueuePacket
    app: BoundQueueApp
    sender: Address


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgQueueSend) -> VerifiedSend:
    """Check the packet's source, sequence, destination and timeout.

    A timeout that has passed on the other chain is accepted: the packet will time out.

    Raises:
        WrongSender: the source is not the local end registered for this destination.
        UnregisteredDestination: the end is not registered.
        WrongPacketSequence: it is not the next sequence.
        UnknownPacketType: no application is registered for the type.
        PacketTimeoutRequired, PacketTimeoutTooFar: the timeout violates the chain's rules.
        ClientNotActive: no receipt or timeout could be proven.
    """
    if msg.source.chain != ctx.chain_id:
        raise WrongSender(ctx.chain_id, msg.source.text)
    registration = keepers.registrations.get(ctx, msg.destination)
    if registration is None:
        raise UnregisteredDestination(msg.destination.text)
    if msg.source != registration.local:
        raise WrongSender(registration.local.text, msg.source.text)
    sequence = keepers.queues.tail(ctx, registration.outgoing)
    if msg.sequence not in {None, sequence}:
        raise WrongPacketSequence(sequence, msg.sequence or 0)
    app = keepers.apps.get(msg.type)
    if app is None:
        raise UnknownPacketType(msg.type)
    packet = QueuePacket(
        msg.source, msg.destination, sequence, msg.type, msg.data, msg.max_height, msg.max_time_ns
    )
    check_timeout(keepers, ctx, registration, packet)
    return VerifiedSend(registration, packet, app, keepers.addresses.decode(msg.signer, "signer"))


def check_timeout(
    keepers: QueueKeepers, ctx: ReadContext, registration: Registration, packet: QueuePacket
) -> None:
    """Check a packet's timeout against the chain's rules, and that the client is active to prove one.

    Raises:
        ClientNotActive: the client is frozen or expired.
        PacketTimeoutRequired: there is none, or none of the kind that the chain limits.
        PacketTimeoutTooFar: it is too far beyond the client's latest height or time.
    """
    client, config = keepers.clients.active(ctx, registration.client_id), keepers.config
    blocks, time_ns = config.max_blocks_ahead, config.max_time_ahead_ns
    by_height = packet.max_height != ZERO_HEIGHT and bool(blocks or not time_ns)
    by_time = packet.max_time_ns != 0 and bool(time_ns or not blocks)
    if config.require_timeout and not (by_height or by_time):
        raise PacketTimeoutRequired
    if not (blocks or time_ns):
        return
    known = client.latest_height(ctx, registration.client_id)
    furthest = known._replace(revision_height=known.revision_height + blocks)
    if blocks and packet.max_height > furthest:
        raise PacketTimeoutTooFar(str(furthest), str(packet.max_height))
    latest = client.timestamp_at_height(ctx, registration.client_id, known)
    if time_ns and packet.max_time_ns > latest + time_ns:
        raise PacketTimeoutTooFar(f"{latest + time_ns} ns", f"{packet.max_time_ns} ns")


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedSend) -> int:
    """Call the application, then push the packet; return its sequence.

    Runs on: A. Proves: nothing. Writes: outgoing. Emits: queue_send.

    Raises:
        IbcError: the application refuses; its writes are reverted.
    """
    registration, packet, app, sender = verified
    with ctx.branch():
        # APP
        app.on_send(ctx, QueueSending(packet, sender))
        # STATE
        return push(keepers, ctx, registration, packet)


def push(keepers: QueueKeepers, ctx: WriteContext, registration: Registration, packet: QueuePacket) -> int:
    """Push a packet to its queue and emit the event; return its sequence.

    Raises:
        QueueExhausted: the sequence is above 2^64-2.
        LogicFault: the packet has another sequence.
    """
    index = keepers.queues.push(ctx, registration.outgoing, encode_packet(packet))
    if index != packet.sequence:
        raise LogicFault(f"packet {packet.sequence} was pushed as {index}")
    # EVENTS
    ctx.emit(queue_events.send(packet, registration.client_id))
    return index


# -- sender of one packet type, handed to the application that registered it

check_end = check_record(End, chain=str, connection=str, channel=str)
"""Type check of an `End`; raises LogicFault."""


class TypeSender:
    """Sends packets of one type (`QueueSender`); possession of the object is the permission."""

    __slots__ = ("_ref", "_type")

    def __init__(self, ref: KeepersRef[QueueKeepers], packet_type: str) -> None:
        self._ref = ref
        self._type = packet_type

    def send(
        self,
        ctx: WriteContext,
        destination: End,
        data: bytes,
        max_height: Height = ZERO_HEIGHT,
        max_time_ns: int = 0,
    ) -> int:
        """Send a packet; return its sequence.

        Raises:
            UnregisteredDestination, InvalidQueuePacket, PacketTimeoutRequired, PacketTimeoutTooFar,
                ClientNotActive, QueueExhausted: see `QueueSender.send`.
            ProtectedStore: the context's call has ended.
            LogicFault: an argument has a wrong type.
        """
        keepers, block = self._ref.keepers, opened(ctx)
        _check_types(destination, data, max_height, max_time_ns)
        check_packet(self._type, data, max_height, max_time_ns)
        registration = keepers.registrations.get(block, destination)
        if registration is None:
            raise UnregisteredDestination(destination.text)
        sequence = keepers.queues.tail(block, registration.outgoing)
        packet = QueuePacket(
            registration.local, destination, sequence, self._type, data, max_height, max_time_ns
        )
        check_timeout(keepers, block, registration, packet)
        return push(keepers, block, registration, packet)

    def registration(self, ctx: ReadContext, destination: End) -> Registration | None:
        """Return the destination's registration, None if there is none."""
        keepers = self._ref.keepers
        check_end(destination, "a destination")
        return keepers.registrations.get(opened(ctx), destination)


def _check_types(destination: End, data: bytes, max_height: Height, max_time_ns: int) -> None:
    check_end(destination, "a destination")
    check_height(max_height, "a timeout")
    check_types("a packet", (data, bytes), (max_time_ns, int))
