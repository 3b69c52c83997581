"""Chain B receives packets and pushes a receipt for each, even if its handler failed.

[IBC-channels 3.5], [IBC-packets 3.3].
"""

from typing import NamedTuple

from handlers.queue.keys import check_key, registered
from handlers.queue.proof import verify, witness
from ibc_core.errors import IbcError, LogicFault, TooLarge
from ibc_core.errors.queue import (
    InvalidQueuePacket,
    OnlyMessageProofs,
    OutOfOrder,
    QueueError,
    QueueExhausted,
    UnknownPacketType,
)
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import MAX_U64
from ibc_core.queue import events as queue_events
from ibc_core.queue.application import QueueReceived
from ibc_core.queue.item import Item
from ibc_core.queue.packet import (
    MAX_CODE,
    MAX_CODESPACE_SIZE,
    MAX_RESULT_SIZE,
    TIMED_OUT,
    QueuePacket,
    Receipt,
    Registration,
    expired,
)
from ibc_core.queue.receive import MsgReceive
from ibc_core.queue.states import decode_packet, encode_receipt
from ibc_core.queue.types import Role, element_key, queue_name
from keepers.queue.keepers import QueueKeepers
from light_client.interface import ProofEffect


class Arrived(NamedTuple):
    """An element of the other chain's queue."""

    packet: QueuePacket
    is_readable: bool  # False: the value does not decode; type, data and timeouts are empty


class VerifiedReceive(NamedTuple):
    """Packets that the remote end sent and this chain has not received, in order."""

    registration: Registration
    arrived: list[Arrived]
    effect: ProofEffect | None  # what the proofs leave to write


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgReceive) -> VerifiedReceive:
    """Checks that the packets are our next ones, and that they are proven.

    Raises:
        UnregisteredSender: the end is not registered.
        MustBeSend, SentToDifferentChain, WrongDestination, WrongSender, OnlyMessageProofs, OutOfOrder: a key
            is not the next packet's for our end.
        QueueExhausted: sequences end at 2^64-2.
        ClientNotActive, MustSubmitHeader, InvalidQueueProof: not proven.
    """
    registration = registered(keepers, ctx, msg.source)
    first = keepers.queues.tail(ctx, registration.incoming)
    for index, item in enumerate(msg.items, first):
        _check_next(registration, item, index)
    if first + len(msg.items) > MAX_U64:
        raise QueueExhausted(queue_name(registration.local, registration.remote, Role.RECEIPT))
    # PROOF
    seen = witness(keepers, ctx, registration, msg.proof_height)
    effect = None
    arrived = []
    for index, item in enumerate(msg.items, first):
        effect = verify(ctx, seen, item.key, item.value, item.proof, effect)
        arrived.append(_read(registration, item.value, index))
    return VerifiedReceive(registration, arrived, effect)


def _check_next(registration: Registration, item: Item, index: int) -> None:
    if index <= MAX_U64 and item.key == element_key(registration.their_outgoing, index):
        return
    key = check_key(item.key, Role.SEND, registration)
    if key.index is None:
        raise OnlyMessageProofs(f"{item.key[:200]!a}")
    raise OutOfOrder(index, key.index)


def _read(registration: Registration, value: bytes, index: int) -> Arrived:
    """A value that does not decode gets an error receipt: if refused, it would block the queue forever."""
    ends = registration.remote, registration.local
    packet = decode_packet(value, *ends, index)
    if packet is None:
        return Arrived(QueuePacket(*ends, index, "", b"", ZERO_HEIGHT, 0), is_readable=False)
    return Arrived(packet, is_readable=True)


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedReceive) -> None:
    """Runs each packet's handler in a branch and pushes its receipt.

    Runs on: B.
    Proves: A's outgoing.
    Writes: incoming; clients/{id}/ (where a proof is used up).
    Emits: queue_receive.
    """
    registration, arrived, effect = verified
    keepers.clients.settle(ctx, effect)
    for each in arrived:
        # APP
        packet, receipt = each.packet, _answer(keepers, ctx, each)
        # STATE: the application cannot have moved the tail, its context is confined
        index = keepers.queues.push(ctx, registration.incoming, encode_receipt(receipt))
        if index != packet.sequence:
            raise LogicFault(f"the receipt of packet {packet.sequence} was pushed as {index}")
        # EVENTS
        ctx.emit(queue_events.receive(packet, receipt, registration.client_id))


def _answer(keepers: QueueKeepers, ctx: WriteContext, each: Arrived) -> Receipt:
    packet = each.packet
    if not each.is_readable:
        return failure(InvalidQueuePacket("not canonical"))
    if expired(packet, ctx.height, ctx.time_ns):
        return TIMED_OUT
    app = keepers.apps.get(packet.type)
    if app is None:
        return failure(UnknownPacketType(packet.type))
    try:
        with ctx.branch():
            return _success(app.on_receive(ctx, QueueReceived(packet)))
    except IbcError as error:  # if gas ran out, the following push fails too
        return failure(error)


def _success(result: bytes) -> Receipt:
    if len(result) > MAX_RESULT_SIZE:
        raise TooLarge("result", len(result), MAX_RESULT_SIZE)
    return Receipt(result)


def failure(error: IbcError) -> Receipt:
    """The error's code in the receipt.

    An application error with TimeoutError's code would block the sender's queue, and one with code 0 would
    make the sender commit what was reverted here: such codes are replaced by the protocol's own.
    """
    codespace, code = error.codespace, error.code
    fits = codespace.isascii() and 1 <= len(codespace) <= MAX_CODESPACE_SIZE and 1 <= code <= MAX_CODE
    receipt = Receipt(b"", codespace, code)
    return receipt if fits and not receipt.is_timeout else _UNTOLD


_UNTOLD = Receipt(b"", QueueError.codespace, QueueError.code)
"""An error whose code cannot be used in a receipt."""
