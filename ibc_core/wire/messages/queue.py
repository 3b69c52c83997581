"""Messages of the queue protocol (`pyibc.queue.v1`)."""

from collections.abc import Iterable

from ibc_core.queue.messages import (
    Item,
    MsgAdvance,
    MsgHandleReceipt,
    MsgQueueSend,
    MsgQueueTimeout,
    MsgReceive,
    MsgRegister,
)
from ibc_core.queue.states import pack_end, unpack_end
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.messages.packet import pack_height, unpack_height
from ibc_core.wire.strict import parse
from ibc_proto.pyibc.queue.v1 import tx_pb2

REGISTER = "/pyibc.queue.v1.MsgRegister"
SEND = "/pyibc.queue.v1.MsgSend"
RECEIVE = "/pyibc.queue.v1.MsgReceive"
HANDLE_RECEIPT = "/pyibc.queue.v1.MsgHandleReceipt"
TIMEOUT = "/pyibc.queue.v1.MsgTimeout"
ADVANCE = "/pyibc.queue.v1.MsgAdvance"


def decode_register(raw: bytes, known: KnownTypes = BUILTIN) -> MsgRegister:
    """`MsgRegister`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgRegister, raw, known=known)
    return MsgRegister(
        wire.client_id, unpack_end(wire.local), unpack_end(wire.remote), wire.remote_store, wire.signer
    )


def encode_register(msg: MsgRegister) -> bytes:
    """`MsgRegister`."""
    return encode(
        tx_pb2.MsgRegister(
            client_id=msg.client_id,
            local=pack_end(msg.local),
            remote=pack_end(msg.remote),
            remote_store=msg.remote_store,
            signer=msg.signer,
        )
    )


def decode_send(raw: bytes, known: KnownTypes = BUILTIN) -> MsgQueueSend:
    """`MsgSend`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgSend, raw, known=known)
    return MsgQueueSend(
        unpack_end(wire.source),
        unpack_end(wire.destination),
        wire.sequence if wire.HasField("sequence") else None,
        wire.type,
        wire.data,
        unpack_height(wire.max_height),
        wire.max_time,
        wire.signer,
    )


def encode_send(msg: MsgQueueSend) -> bytes:
    """`MsgSend`."""
    return encode(
        tx_pb2.MsgSend(
            source=pack_end(msg.source),
            destination=pack_end(msg.destination),
            sequence=msg.sequence,
            type=msg.type,
            data=msg.data,
            max_height=pack_height(msg.max_height) if any(msg.max_height) else None,
            max_time=msg.max_time_ns,
            signer=msg.signer,
        )
    )


def encode_send_response(sequence: int) -> bytes:
    """`MsgSendResponse`."""
    return encode(tx_pb2.MsgSendResponse(sequence=sequence))


def decode_receive(raw: bytes, known: KnownTypes = BUILTIN) -> MsgReceive:
    """`MsgReceive`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgReceive, raw, known=known)
    return MsgReceive(
        unpack_end(wire.source), unpack_height(wire.proof_height), _items(wire.items), wire.signer
    )


def encode_receive(msg: MsgReceive) -> bytes:
    """`MsgReceive`."""
    return encode(
        tx_pb2.MsgReceive(
            source=pack_end(msg.source),
            proof_height=pack_height(msg.proof_height),
            items=_wire_items(msg.items),
            signer=msg.signer,
        )
    )


def decode_handle_receipt(raw: bytes, known: KnownTypes = BUILTIN) -> MsgHandleReceipt:
    """`MsgHandleReceipt`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgHandleReceipt, raw, known=known)
    return MsgHandleReceipt(
        unpack_end(wire.source), unpack_height(wire.proof_height), _items(wire.items), wire.signer
    )


def encode_handle_receipt(msg: MsgHandleReceipt) -> bytes:
    """`MsgHandleReceipt`."""
    return encode(
        tx_pb2.MsgHandleReceipt(
            source=pack_end(msg.source),
            proof_height=pack_height(msg.proof_height),
            items=_wire_items(msg.items),
            signer=msg.signer,
        )
    )


def decode_timeout(raw: bytes, known: KnownTypes = BUILTIN) -> MsgQueueTimeout:
    """`MsgTimeout`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgTimeout, raw, known=known)
    return MsgQueueTimeout(
        unpack_end(wire.destination),
        wire.sequence,
        wire.count,
        unpack_height(wire.proof_height),
        wire.proof,
        wire.signer,
    )


def encode_timeout(msg: MsgQueueTimeout) -> bytes:
    """`MsgTimeout`."""
    return encode(
        tx_pb2.MsgTimeout(
            destination=pack_end(msg.destination),
            sequence=msg.sequence,
            count=msg.count,
            proof_height=pack_height(msg.proof_height),
            proof=msg.proof,
            signer=msg.signer,
        )
    )


def decode_advance(raw: bytes, known: KnownTypes = BUILTIN) -> MsgAdvance:
    """`MsgAdvance`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgAdvance, raw, known=known)
    return MsgAdvance(
        unpack_end(wire.source),
        wire.head,
        wire.to,
        unpack_height(wire.proof_height),
        wire.proof,
        wire.signer,
    )


def encode_advance(msg: MsgAdvance) -> bytes:
    """`MsgAdvance`."""
    return encode(
        tx_pb2.MsgAdvance(
            source=pack_end(msg.source),
            head=msg.head,
            to=msg.to,
            proof_height=pack_height(msg.proof_height),
            proof=msg.proof,
            signer=msg.signer,
        )
    )


def _items(wire: Iterable[tx_pb2.Item]) -> tuple[Item, ...]:
    return tuple([Item(item.key, item.value, item.proof) for item in wire])


def _wire_items(items: Iterable[Item]) -> list[tx_pb2.Item]:
    return [tx_pb2.Item(key=item.key, value=item.value, proof=item.proof) for item in items]
