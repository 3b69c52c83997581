"""Shapes of a single field by its type: what an attacker may write there."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor

from conformance.fuzz.wire import FIXED32, FIXED64, LENGTH, VARINT, packed, repeat, tag
from pyibc.proto.varint import encode_varint


class Shape(NamedTuple):
    """A generator for the content of a field or of a whole message."""

    name: str
    write: Callable[[int], bytes]
    """Return about the given number of bytes, to be appended to the message that has the field."""


def _filled(name: str, number: int, piece: bytes) -> Shape:
    """Return a shape of one field with repeated `piece`."""
    return Shape(name, lambda size: packed(number, repeat(piece, size)))


def _many(name: str, field: bytes) -> Shape:
    """Return a shape with the same field repeated."""
    return Shape(name, lambda size: repeat(field, size))


TEXTS = {
    "letters": b"a",
    "digits": b"9",
    "zeros": b"0",
    "capitals": b"COSMOS1Q",
    "bech32": b"cosmos1q",
    "emoji": "🙃".encode(),
    "long s": "\u017f".encode(),
    "not UTF-8": b"\xff",
    "half a character": b"\xf0\x9f\x99",
    "hops": b"transfer/channel-0/",
    "slashes": b"/",
    "brackets": b"[",
    "braces": b'{"a":',
    "quotes": b'"',
    "backslashes": b"\\",
    "spaces": b" ",
    "NUL": b"\x00",
    "minus": b"-1",
    "dots": b"1.",
    "braces in text": b"{0}",
}
_BYTES = {
    "zeros": b"\x00",
    "ones": b"\xff",
    "empty fields": b"\x0a\x00",
    "fields of one byte": b"\x0a\x01\x0a",
    "numbers": b"\x08\x01",
    "overlong": b"\x80" * 9 + b"\x01",
    "nested fields": b"\x0a\x02\x0a\x00",
    "group starts": b"\x0b",
    "JSON brackets": b"[",
    "JSON members": b'{"a":',
    "JSON digits": b"1",
    "hash": b"\x20" + b"h" * 32,
}


def shapes(field: FieldDescriptor, *, every: bool) -> Iterator[Shape]:
    """Return the shapes of a scalar field; for texts, only the most significant ones unless `every`."""
    number = field.number
    if field.cpp_type != FieldDescriptor.CPPTYPE_STRING:
        yield from _numbers(field)
        return
    contents = _BYTES if field.type == FieldDescriptor.TYPE_BYTES else TEXTS
    chosen = contents if every else dict(list(contents.items())[:_SAID_MOST])
    for name, piece in chosen.items():
        yield _filled(name, number, piece)
    yield _many("again and again", packed(number, b"a"))
    yield _many("empty again and again", packed(number, b""))
    yield _many("32 bytes again and again", packed(number, b"b" * 32))


_SAID_MOST = 3


def _numbers(field: FieldDescriptor) -> Iterator[Shape]:
    number = field.number
    if field.type in _FIXED:
        wire_type, width = _FIXED[field.type]
        one = b"\x01" * width
    else:
        wire_type, one = VARINT, b"\x01"
        yield _many("overlong", tag(number, VARINT) + b"\x80" * 9 + b"\x00")
        yield _many("largest", tag(number, VARINT) + b"\xff" * 9 + b"\x01")
        yield Shape("endless", lambda size: tag(number, VARINT) + b"\x80" * size)
    yield _many("again and again", tag(number, wire_type) + one)
    if field.is_repeated:
        yield _filled("packed", number, one)
        yield Shape("packed and cut off", lambda size: packed(number, one * size)[: -len(one) or None])


_FIXED = {
    FieldDescriptor.TYPE_FIXED64: (FIXED64, 8),
    FieldDescriptor.TYPE_SFIXED64: (FIXED64, 8),
    FieldDescriptor.TYPE_DOUBLE: (FIXED64, 8),
    FieldDescriptor.TYPE_FIXED32: (FIXED32, 4),
    FieldDescriptor.TYPE_SFIXED32: (FIXED32, 4),
    FieldDescriptor.TYPE_FLOAT: (FIXED32, 4),
}

_UNKNOWN, _NON_CRITICAL = 1000, 1 << 10 | 1000  # bit 11 of the number: unknown fields that TxBody may have


def message_shapes() -> Iterator[Shape]:
    """Return shapes of a message of any type: unknown fields, groups, wrong lengths."""
    for kind, number in (("unknown", _UNKNOWN), ("non-critical", _NON_CRITICAL)):
        yield _many(f"{kind} numbers", tag(number, VARINT) + b"\x01")
        yield _many(f"{kind} texts", packed(number, b"ab"))
        yield _filled(f"{kind} long", number, b"\x00")
        yield _many(f"{kind} groups", tag(number, 3) + tag(number, 4))
        yield Shape(f"{kind} deep groups", partial(_deep_groups, number))
        yield _many(f"{kind} open groups", tag(number, 3))
    yield Shape("length beyond the end", lambda size: tag(1, LENGTH) + encode_varint(2**31 - 1) + b"a" * size)
    yield Shape("length of 64 bits", lambda size: tag(1, LENGTH) + b"\xff" * 9 + b"\x01" + b"a" * size)
    yield _many("number 0", b"\x02\x00")
    yield _many("wire type 7", b"\x0f")
    yield _many("numbers for texts", b"\x08\x01")
    yield _many("fixed for texts", b"\x09" + b"\x00" * 8)


def _deep_groups(number: int, size: int) -> bytes:
    start, end = tag(number, 3), tag(number, 4)
    depth = max(1, size // (len(start) + len(end)))
    return start * depth + end * depth
