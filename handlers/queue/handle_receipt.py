"""Chain A handles the receipts of its packets: it commits each or rolls it back.

[IBC-channels 3.6], [IBC-packets 3.4], [IBC-queues 3.5], [ICS5-2019].
"""

from typing import NamedTuple

from handlers.queue.keys import check_key, registered
from handlers.queue.proof import Witness, time_at, verify, witness
from ibc_core.errors.queue import (
    InvalidReceipt,
    MessageTimeoutNotYetReached,
    NoSuchPacket,
    OnlyMessageProofs,
    OutOfOrder,
    UnknownPacketType,
)
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import MAX_U64
from ibc_core.queue import events as queue_events
from ibc_core.queue.application import BoundQueueApp, QueueCommitted, QueueRolledBack
from ibc_core.queue.handle_receipt import MsgHandleReceipt
from ibc_core.queue.item import Item
from ibc_core.queue.packet import QueuePacket, Receipt, Registration, expired
from ibc_core.queue.states import decode_receipt, stored_packet
from ibc_core.queue.types import Role, element_key
from keepers.queue.keepers import QueueKeepers
from light_client.interface import ProofEffect


class Answered(NamedTuple):
    """A packet of ours and its receipt."""

    packet: QueuePacket
    receipt: Receipt
    app: BoundQueueApp


class VerifiedReceipts(NamedTuple):
    """The receipts of our first packets, in order."""

    registration: Registration
    answered: list[Answered]
    effect: ProofEffect | None  # what the proofs leave to write


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgHandleReceipt) -> VerifiedReceipts:
    """Checks that the receipts are proven and are those of our first packets, in the order of [IBC-packets].

    Raises:
        UnregisteredSender: the end is not registered.
        MustBeRecipient, SentToDifferentChain, WrongDestination, WrongSender: not the key of a
            receipt for our end.
        ClientNotActive, MustSubmitHeader, InvalidQueueProof: not proven.
        OnlyMessageProofs, OutOfOrder, NoSuchPacket: not the receipt of our next packet.
        InvalidReceipt: the other chain's entry is not a receipt.
        MessageTimeoutNotYetReached: the receipt says that the packet expired, but it has not.
        UnknownPacketType: the packet's application is gone.
    """
    registration = registered(keepers, ctx, msg.source)
    first = keepers.queues.head(ctx, registration.outgoing)
    indexes = [_index(registration, item, expected) for expected, item in enumerate(msg.items, first)]
    # PROOF
    seen = witness(keepers, ctx, registration, msg.proof_height)
    effect = None
    answered = []
    for expected, (index, item) in enumerate(zip(indexes, msg.items, strict=True), first):
        effect = verify(ctx, seen, item.key, item.value, item.proof, effect)
        if index is None:
            raise OnlyMessageProofs(f"{item.key[:200]!a}")
        if index != expected:
            raise OutOfOrder(expected, index)
        answered.append(_answer(keepers, ctx, registration, seen, item, expected))
    return VerifiedReceipts(registration, answered, effect)


def _index(registration: Registration, item: Item, expected: int) -> int | None:
    """The index in an item's key, None for head or tail; usually the expected one."""
    if expected <= MAX_U64 and item.key == element_key(registration.their_incoming, expected):
        return expected
    return check_key(item.key, Role.RECEIPT, registration).index


def _answer(
    keepers: QueueKeepers,
    ctx: ReadContext,
    registration: Registration,
    seen: Witness,
    item: Item,
    index: int,
) -> Answered:
    packet = packet_at(keepers, ctx, registration, index)
    receipt = decode_receipt(item.value)
    if receipt is None:
        raise InvalidReceipt(index)
    if receipt.is_timeout:
        check_expired(packet, seen.height, time_at(ctx, seen))
    return Answered(packet, receipt, app_of(keepers, packet))


def packet_at(keepers: QueueKeepers, ctx: ReadContext, registration: Registration, index: int) -> QueuePacket:
    """Our pending packet at `index`.

    Raises:
        NoSuchPacket: there is none.
        CorruptState: it cannot be read.
    """
    raw = keepers.queues.retrieve(ctx, registration.outgoing, index)
    if raw is None:
        raise NoSuchPacket(index)
    return stored_packet(raw, registration.local, registration.remote, index)


def check_expired(packet: QueuePacket, height: Height, time_ns: int) -> None:
    """`expired(H_h, P)` of [ICS5-2019], by the other chain's clock, never by ours.

    Raises:
        MessageTimeoutNotYetReached: that chain may still execute the packet.
    """
    if not expired(packet, height, time_ns):
        raise MessageTimeoutNotYetReached(packet.sequence, str(height), time_ns)


def app_of(keepers: QueueKeepers, packet: QueuePacket) -> BoundQueueApp:
    """The application of a packet of ours.

    Raises:
        UnknownPacketType: it is gone.
    """
    app = keepers.apps.get(packet.type)
    if app is None:
        raise UnknownPacketType(packet.type)
    return app


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedReceipts) -> None:
    """Pops each packet, then calls its application to commit or roll back.

    Runs on: A.
    Proves: B's incoming.
    Writes: deletes outgoing; clients/{id}/ (where a proof is used up).
    Emits: queue_handle_receipt.

    Raises:
        IbcError: an application refuses; everything is reverted.
    """
    registration, answered, effect = verified
    keepers.clients.settle(ctx, effect)
    ours = registration.outgoing
    with ctx.branch():
        for packet, receipt, app in answered:
            # STATE: before the application is called, so that it cannot be refunded twice (H5)
            keepers.queues.pop(ctx, ours)
            # APP
            if receipt.is_success:
                app.on_commit(ctx, QueueCommitted(packet, receipt.result))
            else:
                app.on_rollback(ctx, QueueRolledBack(packet, receipt.codespace, receipt.code))
            # EVENTS
            ctx.emit(queue_events.handle_receipt(packet, receipt, registration.client_id))
