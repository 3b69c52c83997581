"""Chain A times out packets without waiting for chain B's receipts [ICS5-2019 Timeouts]."""

from typing import NamedTuple

from handlers.queue.handle_receipt import app_of, check_expired, packet_at
from handlers.queue.keys import registered
from handlers.queue.proof import time_at, verify_absent, witness
from ibc_core.errors.queue import NoSuchPacket, OutOfOrder
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue import events as queue_events
from ibc_core.queue.application import BoundQueueApp, QueueRolledBack
from ibc_core.queue.packet import TIMED_OUT, QueuePacket, Registration
from ibc_core.queue.timeout import MsgQueueTimeout
from ibc_core.queue.types import element_key
from keepers.queue.keepers import QueueKeepers
from light_client.interface import ProofEffect


class VerifiedTimeouts(NamedTuple):
    """Our first packets, for which chain B can write no receipt but TimeoutError."""

    registration: Registration
    packets: list[tuple[QueuePacket, BoundQueueApp]]
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgQueueTimeout) -> VerifiedTimeouts:
    """Checks that the packets are our first ones, expired on B at h, and that B had not received them at h.

    One absence is enough: B receives in order, and cleans receipts up only where we handled them, so that
    without the first one's receipt it has none of the later ones.

    Raises:
        UnregisteredSender: the end is not registered.
        OutOfOrder, NoSuchPacket: not our first packets.
        ClientNotActive, MustSubmitHeader: no header to verify against.
        MessageTimeoutNotYetReached: B may still execute one.
        InvalidQueueProof: B may have received them.
        UnknownPacketType: an application is gone.
    """
    registration = registered(keepers, ctx, msg.destination)
    head = keepers.queues.head(ctx, registration.outgoing)
    if msg.sequence != head:
        raise OutOfOrder(head, msg.sequence)
    tail = keepers.queues.tail(ctx, registration.outgoing)
    if msg.count > tail - head:
        raise NoSuchPacket(tail)
    # TIMEOUT
    seen = witness(keepers, ctx, registration, msg.proof_height)
    time_ns = time_at(ctx, seen)
    packets = []
    for index in range(head, head + msg.count):
        packet = packet_at(keepers, ctx, registration, index)
        check_expired(packet, seen.height, time_ns)
        packets.append((packet, app_of(keepers, packet)))
    # PROOF
    key = element_key(registration.their_incoming, head)
    return VerifiedTimeouts(registration, packets, verify_absent(ctx, seen, key, msg.proof))


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedTimeouts) -> None:
    """Pops each packet, then calls its application to roll back.

    Runs on: A.
    Proves: the absence of B's receipt.
    Writes: deletes outgoing; clients/{id}/ (where a proof is used up).
    Emits: queue_timeout.

    Raises:
        IbcError: an application refuses; everything is reverted.
    """
    registration, packets, effect = verified
    keepers.clients.settle(ctx, effect)
    with ctx.branch():
        for packet, app in packets:
            # STATE: before the application is called (H5)
            keepers.queues.pop(ctx, registration.outgoing)
            # APP
            app.on_rollback(ctx, QueueRolledBack(packet, TIMED_OUT.codespace, TIMED_OUT.code))
            # EVENTS
            ctx.emit(queue_events.timeout(packet, registration.client_id))
