"""MsgTimeout: chain A rolls back expired packets without chain B's receipts [ICS5-2019 Timeouts]."""

from typing import NamedTuple

from light_client.interface import ProofEffect
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.queues import packet as queue_events
from pyibc.queues.application import BoundQueueApp, QueueRolledBack
from pyibc.queues.errors import NoSuchPacket, OutOfOrder
from pyibc.queues.handlers.handle_receipt import app_of, check_expired, packet_at
from pyibc.queues.handlers.proof import proof_context, registered, time_at, verify_absent
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.messages import MsgQueueTimeout
from pyibc.queues.packet import TIMED_OUT, QueuePacket, Registration
from pyibc.queues.types import element_key


class VerifiedTimeouts(NamedTuple):
    """First packets of the queue, for which chain B can write no receipt but TimeoutError."""

    registration: Registration
    packets: list[tuple[QueuePacket, BoundQueueApp]]
    effect: ProofEffect | None  # write that the proof requires


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgQueueTimeout) -> VerifiedTimeouts:
    """Check that the first packets expired on B at the proof height, and that B had not received them.

    One proof of absence is enough: B receives in order and deletes a receipt only after A has handled it, so
    without the first packet's receipt it has none of the later ones.

    Raises:
        UnregisteredSender: the end is not registered.
        OutOfOrder, NoSuchPacket: they are not the first packets.
        ClientNotActive, MustSubmitHeader: there is no header to verify against.
        MessageTimeoutNotYetReached: B may still execute one of them.
        InvalidQueueProof: B may have received them.
        UnknownPacketType: an application is not registered any more.
    """
    registration = registered(keepers, ctx, msg.destination)
    head = keepers.queues.head(ctx, registration.outgoing)
    if msg.sequence != head:
        raise OutOfOrder(head, msg.sequence)
    tail = keepers.queues.tail(ctx, registration.outgoing)
    if msg.count > tail - head:
        raise NoSuchPacket(tail)
    # TIMEOUT
    proof_ctx = proof_context(keepers, ctx, registration, msg.proof_height)
    time_ns = time_at(ctx, proof_ctx)
    packets = []
    for index in range(head, head + msg.count):
        packet = packet_at(keepers, ctx, registration, index)
        check_expired(packet, proof_ctx.height, time_ns)
        packets.append((packet, app_of(keepers, packet)))
    # PROOF
    key = element_key(registration.their_incoming, head)
    return VerifiedTimeouts(registration, packets, verify_absent(ctx, proof_ctx, key, msg.proof))


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedTimeouts) -> None:
    """Remove each packet, then call its application to roll back.

    Runs on: A. Proves: the absence of B's receipt. Writes: deletes outgoing; clients/{id}/ (by a single-use
    proof). Emits: queue_timeout.

    Raises:
        IbcError: an application refuses; everything is reverted.
    """
    registration, packets, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    with ctx.branch():
        for packet, app in packets:
            # STATE: before the application is called (H5)
            keepers.queues.pop(ctx, registration.outgoing)
            # APP
            app.on_rollback(ctx, QueueRolledBack(packet, TIMED_OUT.codespace, TIMED_OUT.code))
            # EVENTS
            ctx.emit(queue_events.timeout(packet, registration.client_id))
