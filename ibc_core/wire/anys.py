"""Anys: a type URL and the bytes of a message of that type."""

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_core.any_message import AnyMessage
from ibc_core.errors import UnpackAny
from ibc_core.wire.encoding import encode
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.pool import message_class

_M = TypeVar("_M", bound=Message)

EMPTY = AnyMessage("", b"")
"""What a message's Any field decodes to when it is absent."""


def type_url(cls: type[Message]) -> str:
    """`/{full name}`: Cosmos writes no host before the slash."""
    return f"/{cls.DESCRIPTOR.full_name}"


def pack(message: Message) -> AnyMessage:
    """The Any that holds `message`, in the bytes that Go would write."""
    return AnyMessage(type_url(type(message)), encode(message))


def unpack(packed: AnyMessage, cls: type[_M]) -> _M:
    """The message that an Any holds.

    Raises:
        UnpackAny: it holds another type than `cls`, or bytes that are no such message.
    """
    if packed.type_url != type_url(cls):
        raise UnpackAny(packed.type_url[:100], f"expected {type_url(cls)}")
    return _parse(cls, packed)


def unpack_any_type(packed: AnyMessage) -> Message:
    """The message that an Any holds, of whatever type.

    Raises:
        UnpackAny: the type is not one of ours, or the bytes are no such message.
    """
    try:
        cls = message_class(packed.type_url.removeprefix("/"))
    except KeyError:
        raise UnpackAny(packed.type_url[:100], "unknown type") from None
    return _parse(cls, packed)


def _parse(cls: type[_M], packed: AnyMessage) -> _M:
    try:
        return cls.FromString(packed.value)
    except DecodeError:
        raise UnpackAny(packed.type_url[:100], "malformed") from None


def unpack_any(message: Message, field: str) -> AnyMessage:
    """A message's Any field as a value; `EMPTY` where it is absent."""
    if not message.HasField(field):
        return EMPTY
    packed = getattr(message, field)
    return AnyMessage(packed.type_url, packed.value)


def pack_any(packed: AnyMessage) -> any_pb2.Any | None:
    """A value for a message's Any field; None leaves it absent."""
    return None if packed == EMPTY else any_pb2.Any(type_url=packed.type_url, value=packed.value)


def encode_any(packed: AnyMessage) -> bytes:
    """`google.protobuf.Any`, as client and consensus states are stored and proven."""
    return any_pb2.Any(type_url=packed.type_url, value=packed.value).SerializeToString()


def decode_any(raw: bytes) -> AnyMessage:
    """The Any that `raw` encodes.

    Raises:
        UnpackAny: it is malformed.
    """
    try:
        packed = any_pb2.Any.FromString(raw)
    except DecodeError:
        raise UnpackAny("", "malformed Any") from None
    return AnyMessage(packed.type_url, packed.value)
