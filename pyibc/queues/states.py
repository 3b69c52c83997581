"""Encoding of the values in the `queue` store: packets, receipts, registrations (`pyibc.queue.v1`).

Packets and receipts come from other chains: only the canonical encoding of a value is accepted.
"""

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.memo import memoize
from pyibc.core.wire.states import read
from pyibc.core.wire.table import pack, unpack
from pyibc.proto.pyibc.queue.v1 import queue_pb2 as pb
from pyibc.queues.packet import MAX_CODESPACE_SIZE, Binding, QueuePacket, Receipt, Registration
from pyibc.queues.types import End

_M = TypeVar("_M", bound=Message)


def encode_packet(packet: QueuePacket) -> bytes:
    """Encode as `pyibc.queue.v1.Packet`."""
    wire = pb.Packet(type=packet.type, data=packet.data, max_time=packet.max_time_ns)
    if packet.max_height != ZERO_HEIGHT:
        wire.max_height.CopyFrom(pack(packet.max_height))
    return wire.SerializeToString(deterministic=True)


def decode_packet(raw: bytes, source: End, destination: End, sequence: int) -> QueuePacket | None:
    """Decode the packet of another chain; the arguments come from its key. None if it is not canonical."""
    wire = _canonical(pb.Packet, raw)
    if wire is None or not wire.type:
        return None
    if wire.HasField("max_height") and not any(unpack(Height, wire.max_height)):
        return None
    return _packet(wire, source, destination, sequence)


def stored_packet(raw: bytes, source: End, destination: End, sequence: int) -> QueuePacket:
    """Decode a packet of this chain's store.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return _packet(read(pb.Packet, raw), source, destination, sequence)


def _packet(wire: pb.Packet, source: End, destination: End, sequence: int) -> QueuePacket:
    height = unpack(Height, wire.max_height) if wire.HasField("max_height") else ZERO_HEIGHT
    return QueuePacket(source, destination, sequence, wire.type, wire.data, height, wire.max_time)


def encode_receipt(receipt: Receipt) -> bytes:
    """Encode as `pyibc.queue.v1.Receipt`; never empty, so that it can be proven."""
    if receipt.is_success:
        return pb.Receipt(result=receipt.result).SerializeToString(deterministic=True)
    failure = pb.Failure(codespace=receipt.codespace, code=receipt.code)
    return pb.Receipt(error=failure).SerializeToString(deterministic=True)


DONE = Receipt(b"")
"""Receipt of a success without a result, the most frequent one."""
_DONE = encode_receipt(DONE)


def decode_receipt(raw: bytes) -> Receipt | None:
    """Decode a receipt; None if it is not canonical, or an error without codespace or code."""
    if raw == _DONE:
        return DONE
    wire = _canonical(pb.Receipt, raw)
    kind = None if wire is None else wire.WhichOneof("outcome")
    if wire is None or kind is None:
        return None
    if kind == "result":
        return Receipt(wire.result)
    error = wire.error
    if not error.code or not 1 <= len(error.codespace) <= MAX_CODESPACE_SIZE:
        return None
    return Receipt(b"", error.codespace, error.code)


def _canonical(cls: type[_M], raw: bytes) -> _M | None:
    try:
        wire = cls.FromString(raw)
    except DecodeError:
        return None
    wire.DiscardUnknownFields()
    return wire if wire.SerializeToString(deterministic=True) == raw else None


def encode_registration(registration: Registration) -> bytes:
    """Encode as `pyibc.queue.v1.Registration`."""
    return encode(
        pb.Registration(
            client_id=registration.client_id,
            local=pack(registration.local),
            remote=pack(registration.remote),
            remote_store=registration.remote_store,
        )
    )


@memoize(1024)
def decode_registration(raw: bytes) -> Registration:
    """Decode a registration of this chain's store.

    Raises:
        CorruptState: it cannot be decoded.
    """
    wire = read(pb.Registration, raw)
    return Registration.of(
        wire.client_id, unpack(End, wire.local), unpack(End, wire.remote), wire.remote_store
    )


def encode_binding(binding: Binding) -> bytes:
    """Encode as `pyibc.queue.v1.Binding`."""
    return encode(pack(binding))


def decode_binding(raw: bytes) -> Binding:
    """Decode a binding of this chain's store.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return unpack(Binding, read(pb.Binding, raw))
