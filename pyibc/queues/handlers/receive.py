"""MsgReceive: chain B executes packets and pushes a receipt for each, even if its handler failed.

[IBC-channels 3.5], [IBC-packets 3.3].
"""

from typing import NamedTuple

from light_client.interface import ProofEffect
from pyibc.core.errors import IbcError, LogicFault, TooLarge
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import MAX_U64
from pyibc.queues import packet as queue_events
from pyibc.queues.application import QueueReceived
from pyibc.queues.errors import (
    InvalidQueuePacket,
    OnlyMessageProofs,
    OutOfOrder,
    QueueError,
    QueueExhausted,
    UnknownPacketType,
)
from pyibc.queues.handlers.proof import check_key, proof_context, registered, verify
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.messages import Item, MsgReceive
from pyibc.queues.packet import (
    MAX_CODE,
    MAX_CODESPACE_SIZE,
    MAX_RESULT_SIZE,
    TIMED_OUT,
    QueuePacket,
    Receipt,
    Registration,
    expired,
)
from pyibc.queues.states import decode_packet, encode_receipt
from pyibc.queues.types import Role, element_key, queue_name


class IncomingPacket(NamedTuple):
    """Element of the other chain's queue."""

    packet: QueuePacket
    is_decodable: bool  # False: the value does not decode; type, data and timeouts are empty


class VerifiedReceive(NamedTuple):
    """Next packets of the remote end, in order."""

    registration: Registration
    incoming: list[IncomingPacket]
    effect: ProofEffect | None  # write that the proofs require


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgReceive) -> VerifiedReceive:
    """Check that the packets are the next ones and are proven.

    Raises:
        UnregisteredSender: the end is not registered.
        MustBeSend, SentToDifferentChain, WrongDestination, WrongSender, OnlyMessageProofs, OutOfOrder: a
            key is not that of the next packet for the local end.
        QueueExhausted: a sequence is above 2^64-2.
        ClientNotActive, MustSubmitHeader, InvalidQueueProof: a proof fails.
    """
    registration = registered(keepers, ctx, msg.source)
    first = keepers.queues.tail(ctx, registration.incoming)
    for index, item in enumerate(msg.items, first):
        _check_next(registration, item, index)
    if first + len(msg.items) > MAX_U64:
        raise QueueExhausted(queue_name(registration.local, registration.remote, Role.RECEIPT))
    # PROOF
    proof_ctx = proof_context(keepers, ctx, registration, msg.proof_height)
    effect = None
    incoming = []
    for index, item in enumerate(msg.items, first):
        effect = verify(ctx, proof_ctx, item.key, item.value, item.proof, effect)
        incoming.append(_read(registration, item.value, index))
    return VerifiedReceive(registration, incoming, effect)


def _check_next(registration: Registration, item: Item, index: int) -> None:
    if index <= MAX_U64 and item.key == element_key(registration.their_outgoing, index):
        return
    key = check_key(item.key, Role.SEND, registration)
    if key.index is None:
        raise OnlyMessageProofs(f"{item.key[:200]!a}")
    raise OutOfOrder(index, key.index)


def _read(registration: Registration, value: bytes, index: int) -> IncomingPacket:
    """Decode an element; a malformed one gets an error receipt, since refusing it would block the queue."""
    ends = registration.remote, registration.local
    packet = decode_packet(value, *ends, index)
    if packet is None:
        return IncomingPacket(QueuePacket(*ends, index, "", b"", ZERO_HEIGHT, 0), is_decodable=False)
    return IncomingPacket(packet, is_decodable=True)


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedReceive) -> None:
    """Call each packet's handler in a branch and push its receipt.

    Runs on: B. Proves: A's outgoing. Writes: incoming; clients/{id}/ (by a single-use proof). Emits:
    queue_receive.
    """
    registration, incoming, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    for each in incoming:
        # APP
        packet, receipt = each.packet, _execute_packet(keepers, ctx, each)
        # STATE: the application cannot have moved the tail, its context is confined
        index = keepers.queues.push(ctx, registration.incoming, encode_receipt(receipt))
        if index != packet.sequence:
            raise LogicFault(f"the receipt of packet {packet.sequence} was pushed as {index}")
        # EVENTS
        ctx.emit(queue_events.receive(packet, receipt, registration.client_id))


def _execute_packet(keepers: QueueKeepers, ctx: WriteContext, each: IncomingPacket) -> Receipt:
    packet = each.packet
    if not each.is_decodable:
        return failure(InvalidQueuePacket("not canonical"))
    if expired(packet, ctx.height, ctx.time_ns):
        return TIMED_OUT
    app = keepers.apps.get(packet.type)
    if app is None:
        return failure(UnknownPacketType(packet.type))
    try:
        with ctx.branch():
            return _success(app.on_receive(ctx, QueueReceived(packet)))
    except IbcError as error:  # after OutOfGas the following push fails as well
        return failure(error)


def _success(result: bytes) -> Receipt:
    if len(result) > MAX_RESULT_SIZE:
        raise TooLarge("result", len(result), MAX_RESULT_SIZE)
    return Receipt(result)


def failure(error: IbcError) -> Receipt:
    """Return the receipt of an error.

    An application error with TimeoutError's code would block the sender's queue, and one with code 0 would
    make the sender commit what was reverted here: such codes are replaced by the protocol's own.
    """
    codespace, code = error.codespace, error.code
    fits = codespace.isascii() and 1 <= len(codespace) <= MAX_CODESPACE_SIZE and 1 <= code <= MAX_CODE
    receipt = Receipt(b"", codespace, code)
    return receipt if fits and not receipt.is_timeout else _GENERIC_ERROR


_GENERIC_ERROR = Receipt(b"", QueueError.codespace, QueueError.code)
"""Receipt for an error whose code cannot be used in a receipt."""
