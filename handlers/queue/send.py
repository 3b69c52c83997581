"""Chain A sends a packet, by a user's message or from inside an application.

[IBC-channels 3.4], [IBC-packets 3.3], [ICS5-2019].
"""

from typing import NamedTuple

from ibc_core.address import Address
from ibc_core.errors import LogicFault
from ibc_core.errors.queue import (
    PacketTimeoutRequired,
    PacketTimeoutTooFar,
    UnknownPacketType,
    UnregisteredDestination,
    WrongPacketSequence,
    WrongSender,
)
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue import events as queue_events
from ibc_core.queue.application import BoundQueueApp, QueueSending
from ibc_core.queue.packet import QueuePacket, Registration
from ibc_core.queue.send import MsgQueueSend
from ibc_core.queue.states import encode_packet
from keepers.queue.keepers import QueueKeepers


class VerifiedSend(NamedTuple):
    """A packet that may be pushed, if its application accepts."""

    registration: Registration
    packet: QueuePacket
    app: BoundQueueApp
    sender: Address


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgQueueSend) -> VerifiedSend:
    """Checks the packet's source, sequence, destination and timeout.

    A timeout that has already elapsed on the other chain is accepted: the packet will time out.

    Raises:
        WrongSender: the source is not our end of this destination.
        UnregisteredDestination: the end is not registered.
        WrongPacketSequence: another is next.
        UnknownPacketType: no application is registered for it.
        PacketTimeoutRequired, PacketTimeoutTooFar: the chain's rules on timeouts.
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
    """Checks a packet's timeout against the chain's rules, and that the client can prove one.

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
    """Calls the application, then pushes the packet; returns its sequence.

    Runs on: A.
    Proves: nothing.
    Writes: outgoing.
    Emits: queue_send.

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
    """Pushes a packet to its queue and emits the event; returns its sequence.

    Raises:
        QueueExhausted: sequences end at 2^64-2.
        LogicFault: the packet names another sequence.
    """
    index = keepers.queues.push(ctx, registration.outgoing, encode_packet(packet))
    if index != packet.sequence:
        raise LogicFault(f"packet {packet.sequence} was pushed as {index}")
    # EVENTS
    ctx.emit(queue_events.send(packet, registration.client_id))
    return index
