"""MsgHandleReceipt: chain A commits its packets or rolls them back, as their receipts say.

[IBC-channels 3.6], [IBC-packets 3.4], [IBC-queues 3.5], [ICS5-2019].
"""

from typing import NamedTuple

from light_client.interface import ProofEffect
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import MAX_U64
from pyibc.queues import packet as queue_events
from pyibc.queues.application import BoundQueueApp, QueueCommitted, QueueRolledBack
from pyibc.queues.errors import (
    InvalidReceipt,
    MessageTimeoutNotYetReached,
    NoSuchPacket,
    OnlyMessageProofs,
    OutOfOrder,
    UnknownPacketType,
)
from pyibc.queues.handlers.proof import ProofContext, check_key, proof_context, registered, time_at, verify
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.messages import Item, MsgHandleReceipt
from pyibc.queues.packet import QueuePacket, Receipt, Registration, expired
from pyibc.queues.states import decode_receipt, stored_packet
from pyibc.queues.types import Role, element_key


class HandledPacket(NamedTuple):
    """Sent packet and its receipt."""

    packet: QueuePacket
    receipt: Receipt
    app: BoundQueueApp


class VerifiedReceipts(NamedTuple):
    """Receipts of the first packets in the queue, in order."""

    registration: Registration
    handled: list[HandledPacket]
    effect: ProofEffect | None  # write that the proofs require


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgHandleReceipt) -> VerifiedReceipts:
    """Check that the receipts are proven and belong to the first packets, in the order of [IBC-packets].

    Raises:
        UnregisteredSender: the end is not registered.
        MustBeRecipient, SentToDifferentChain, WrongDestination, WrongSender: a key is not that of a
            receipt for the local end.
        ClientNotActive, MustSubmitHeader, InvalidQueueProof: a proof fails.
        OnlyMessageProofs, OutOfOrder, NoSuchPacket: it is not the receipt of the next packet.
        InvalidReceipt: the value is not a receipt.
        MessageTimeoutNotYetReached: the receipt reports an expiry, but the packet has not expired.
        UnknownPacketType: the packet's application is not registered any more.
    """
    registration = registered(keepers, ctx, msg.source)
    first = keepers.queues.head(ctx, registration.outgoing)
    indexes = [_index(registration, item, expected) for expected, item in enumerate(msg.items, first)]
    # PROOF
    proof_ctx = proof_context(keepers, ctx, registration, msg.proof_height)
    effect = None
    handled = []
    for expected, (index, item) in enumerate(zip(indexes, msg.items, strict=True), first):
        effect = verify(ctx, proof_ctx, item.key, item.value, item.proof, effect)
        if index is None:
            raise OnlyMessageProofs(f"{item.key[:200]!a}")
        if index != expected:
            raise OutOfOrder(expected, index)
        handled.append(_handled(keepers, ctx, registration, proof_ctx, item, expected))
    return VerifiedReceipts(registration, handled, effect)


def _index(registration: Registration, item: Item, expected: int) -> int | None:
    """Return the index in an item's key, None for head or tail; compares with the expected key first."""
    if expected <= MAX_U64 and item.key == element_key(registration.their_incoming, expected):
        return expected
    return check_key(item.key, Role.RECEIPT, registration).index


def _handled(
    keepers: QueueKeepers,
    ctx: ReadContext,
    registration: Registration,
    proof_ctx: ProofContext,
    item: Item,
    index: int,
) -> HandledPacket:
    packet = packet_at(keepers, ctx, registration, index)
    receipt = decode_receipt(item.value)
    if receipt is None:
        raise InvalidReceipt(index)
    if receipt.is_timeout:
        check_expired(packet, proof_ctx.height, time_at(ctx, proof_ctx))
    return HandledPacket(packet, receipt, app_of(keepers, packet))


def packet_at(keepers: QueueKeepers, ctx: ReadContext, registration: Registration, index: int) -> QueuePacket:
    """Return the pending packet at `index`.

    Raises:
        NoSuchPacket: there is none.
        CorruptState: it cannot be decoded.
    """
    raw = keepers.queues.retrieve(ctx, registration.outgoing, index)
    if raw is None:
        raise NoSuchPacket(index)
    return stored_packet(raw, registration.local, registration.remote, index)


def check_expired(packet: QueuePacket, height: Height, time_ns: int) -> None:
    """Check `expired(H_h, P)` of [ICS5-2019], by the other chain's clock.

    Raises:
        MessageTimeoutNotYetReached: the other chain may still execute the packet.
    """
    if not expired(packet, height, time_ns):
        raise MessageTimeoutNotYetReached(packet.sequence, str(height), time_ns)


def app_of(keepers: QueueKeepers, packet: QueuePacket) -> BoundQueueApp:
    """Return the application of a sent packet.

    Raises:
        UnknownPacketType: it is not registered any more.
    """
    app = keepers.apps.get(packet.type)
    if app is None:
        raise UnknownPacketType(packet.type)
    return app


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedReceipts) -> None:
    """Remove each packet, then call its application to commit or roll back.

    Runs on: A. Proves: B's incoming. Writes: deletes outgoing; clients/{id}/ (by a single-use proof). Emits:
    queue_handle_receipt.

    Raises:
        IbcError: an application refuses; everything is reverted.
    """
    registration, handled, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    ours = registration.outgoing
    with ctx.branch():
        for packet, receipt, app in handled:
            # STATE: before the application is called, so that it cannot be refunded twice (H5)
            keepers.queues.pop(ctx, ours)
            # APP
            if receipt.is_success:
                app.on_commit(ctx, QueueCommitted(packet, receipt.result))
            else:
                app.on_rollback(ctx, QueueRolledBack(packet, receipt.codespace, receipt.code))
            # EVENTS
            ctx.emit(queue_events.handle_receipt(packet, receipt, registration.client_id))
