"""Protobuf read as gogoproto's generated code reads it, where what it lets pass decides what a chain does.

It differs from the C core: a known field of another wire type is an error and no unknown field, a group
may end with another number than it began with, tags may have ten bytes, and text need not be UTF-8.
"""

from collections.abc import Iterator

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from ibc_core.any_message import AnyMessage
from ibc_core.errors import TxDecode
from ibc_core.numbers import MAX_U64
from ibc_core.wire.strict import MAX_ANY_DEPTH, any_places
from ibc_proto.ibc.applications.gmp.v1.account_pb2 import CosmosTx
from ibc_proto.pool import message_class

_VARINT, _FIXED64, _LENGTH, _GROUP, _END_GROUP, _FIXED32 = 0, 1, 2, 3, 4, 5
_MAX_SHIFT = 63
_MAX_INT = 2**63 - 1
_MAX_FIELD = 2**31 - 1


def read_cosmos_tx(raw: bytes) -> list[AnyMessage]:
    """The messages of a `CosmosTx`, of interchain accounts or GMP: a list of Anys, unread.

    Raises:
        TxDecode: it is malformed.
    """
    try:
        found = CosmosTx.FromString(raw)
    except DecodeError:
        # guard: h169-what-c-refuses-is-refused {=> raise TxDecode('') from None}
        #   test_h169_what_gogoproto_takes
        return _walk(raw)
    found.DiscardUnknownFields()
    # guard: h169-what-is-not-canonical-is-read-in-c test_h169_what_gogoproto_refuses
    if found.SerializeToString() != raw:  # in canonical form everybody reads the same
        return _walk(raw)
    return [AnyMessage(each.type_url, each.value) for each in found.messages]


def _walk(raw: bytes) -> list[AnyMessage]:
    return [_any(content) for _, content in _fields(raw, (1,))]


def _any(raw: bytes) -> AnyMessage:
    parts = {1: b"", 2: b""} | dict(_fields(raw, (1, 2)))
    return AnyMessage(parts[1].decode(errors="replace"), parts[2])


def _fields(raw: bytes, known: tuple[int, ...]) -> Iterator[tuple[int, bytes]]:
    """The fields of these numbers, all of which have a length; others are skipped.

    Raises:
        TxDecode: the bytes are malformed, or one of these fields is of another wire type.
    """
    at = 0
    while at < len(raw):
        tag, after = _varint(raw, at)
        number, wire_type = tag >> 3 & 0xFFFFFFFF, tag & 7
        # guard: h169-any-field test_h169_what_gogoproto_refuses
        if wire_type == _END_GROUP or not 0 < number <= _MAX_FIELD:
            raise TxDecode(f"field {number} of wire type {wire_type}")
        if number in known:
            # guard: h169-a-field-of-any-wire-type test_h169_what_gogoproto_refuses
            if wire_type != _LENGTH:
                raise TxDecode(f"field {number} has wire type {wire_type}")
            size, begin = _varint(raw, after)
            at = _within(raw, begin + size, size)
            yield number, raw[begin:at]
        else:
            at = _skip(raw, at)


def _skip(raw: bytes, at: int) -> int:
    """Where the field at `at` ends: a group at whatever closes as many as were opened."""
    depth = 0
    while True:
        tag, at = _varint(raw, at)
        wire_type = tag & 7
        if wire_type == _VARINT:
            _, at = _varint(raw, at)
        elif wire_type in {_FIXED64, _FIXED32}:
            at += 8 if wire_type == _FIXED64 else 4
        elif wire_type == _LENGTH:
            size, at = _varint(raw, at)
            at = _within(raw, at + size, size)
        elif wire_type in {_GROUP, _END_GROUP}:
            depth += 1 if wire_type == _GROUP else -1
        else:
            raise TxDecode(f"wire type {wire_type}")
        if depth == 0:
            return _within(raw, at, 0)


def _within(raw: bytes, end: int, size: int) -> int:
    # guard: h169-a-size-beyond-the-end test_h169_what_gogoproto_refuses
    if size > _MAX_INT or end > len(raw):
        raise TxDecode("cut off")
    return end


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends: ten bytes at most, and what is beyond 64 bits falls away."""
    value = 0
    for shift in range(0, _MAX_SHIFT + 1, 7):
        if at >= len(raw):
            raise TxDecode("cut off")
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & MAX_U64, at
    raise TxDecode("a varint of more than ten bytes")


# recursion: MAX_ANY_DEPTH Anys, each as deep as its type's descriptors lead to another
def without_unknown(cls: type[Message], raw: bytes, depth: int = 0) -> bytes:
    """A message's bytes without the fields that it does not have, in its Anys too: Go drops them.

    Of an Any of a type that is not in our pool the content is left as it is. `depth`: of Anys around it.

    Raises:
        TxDecode: it is no such message, or a known field has another wire type.
    """
    try:
        bare = cls.FromString(raw)
    except DecodeError as error:
        raise TxDecode(f"malformed {cls.DESCRIPTOR.full_name}") from error
    bare.DiscardUnknownFields()
    written = bare.SerializeToString()
    # guard: h163-a-wrong-field-behind-what-grows {written != raw => len(written) != len(raw)}
    #   test_a_wrong_wire_type_does_not_hide_behind_what_grows_when_it_is_written_again
    if written != raw:  # else nothing was dropped: a size alone would not tell, some grow when written again
        message = cls.FromString(raw)
        if bare.ByteSize() != message.ByteSize():
            _check_unknown(message)
    if not any_places(cls):
        return written
    _forget_in_anys(bare, depth)
    return bare.SerializeToString()


# recursion: protobuf's parser refuses more than 100 messages inside each other
def _check_unknown(message: Message) -> None:
    known = message.DESCRIPTOR.fields_by_number
    for unknown in UnknownFieldSet(message):  # type: ignore[attr-defined]  # the stubs know less
        # guard: h163-a-field-of-another-wire-type test_h163_a_known_field_of_another_wire_type_is_an_error
        if unknown.field_number in known:
            raise TxDecode(f"field {unknown.field_number} has wire type {unknown.wire_type}")
    for field, content in message.ListFields():
        if field.message_type is not None:
            for each in content if field.is_repeated else (content,):
                _check_unknown(each)


def _forget_in_anys(message: Message, depth: int) -> None:
    for place in any_places(type(message)):
        content = getattr(message, place.field)
        for each in content if place.repeated else (content,) * message.HasField(place.field):
            if not place.is_any:
                _forget_in_anys(each, depth)
            elif depth < MAX_ANY_DEPTH and (cls := _class_of(each.type_url)) is not None:
                # guard: h163-unknown-fields-inside-of-anys {without_unknown(cls, each.value, depth + 1) =>
                #   bytes(each.value)} test_h163_they_are_dropped_inside_of_anys_too
                each.value = without_unknown(cls, each.value, depth + 1)


def _class_of(type_url: str) -> type[Message] | None:
    try:
        return message_class(type_url[1:]) if type_url.startswith("/") else None
    except KeyError:
        return None
