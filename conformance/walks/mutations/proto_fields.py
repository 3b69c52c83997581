"""Mutations of single protobuf fields at any depth, with lengths kept consistent."""

from collections.abc import Callable
from typing import NamedTuple

from conformance.walks.choices import Choices
from conformance.walks.mutations import raw_bytes
from pyibc.codec.walk import FIXED32, FIXED64, LENGTH, VARINT, read_field
from pyibc.core.errors import TxDecode
from pyibc.proto.varint import encode_varint, read_varint

NUMBERS = (0, 1, 2, 127, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
TEXTS = (
    b"",
    b" ",
    b"\x00",
    b"\xff\xfe",
    "é".encode(),
    b"a/b",
    b"07-tendermint-0",
    b"07-tendermint-99",
    b"connection-0",
    b"channel-0",
    b"channel-99999999999999999999",
    b"09-localhost",
    b"connection-localhost",
    b"mock",
    b"transfer",
    b"x" * 70,
    b"x" * 300,
)


class Field(NamedTuple):
    """A field in its wire encoding."""

    number: int
    wire_type: int
    content: bytes  # without the length prefix


def fields(raw: bytes) -> list[Field] | None:
    """Return the fields of an encoded message; None if empty or malformed."""
    found, at = [], 0
    try:
        while at < len(raw):
            number, wire_type, start, at = read_field(raw, at, len(raw))
            found.append(Field(number, wire_type, raw[start:at]))
    except TxDecode:
        return None
    return found or None


def join(parts: list[Field]) -> bytes:
    """Encode fields."""
    return b"".join([_encode(part) for part in parts])


def _encode(part: Field) -> bytes:
    tag = encode_varint(part.number << 3 | part.wire_type)
    if part.wire_type == LENGTH:
        return tag + encode_varint(len(part.content)) + part.content
    return tag + part.content


def mutate(choices: Choices, raw: bytes, depth: int = 0) -> bytes:
    """Return `raw` with one field mutated, at any depth."""
    parts = fields(raw)
    if parts is None:
        return raw_bytes.mutate(choices, raw)
    at = choices.below(len(parts))
    part = parts[at]
    below = fields(part.content) if part.wire_type == LENGTH else None
    if below is not None and depth < 12 and choices.chance(75):
        parts[at] = part._replace(content=mutate(choices, part.content, depth + 1))
        return join(parts)
    return choices.pick(MUTATIONS)(choices, parts, at)


def _drop(parts: list[Field], at: int) -> bytes:
    return join(parts[:at] + parts[at + 1 :])


def _twice(parts: list[Field], at: int) -> bytes:
    return join([*parts[: at + 1], parts[at], *parts[at + 1 :]])


def _last(parts: list[Field], at: int) -> bytes:
    return join([*parts[:at], *parts[at + 1 :], parts[at]])


def _renumbered(choices: Choices, parts: list[Field], at: int) -> bytes:
    number = choices.pick((parts[at].number + 1, 15, 100, 1023, 1024, 2048, (1 << 29) - 1))
    return join([*parts[:at], parts[at]._replace(number=number), *parts[at + 1 :]])


def _added(choices: Choices, parts: list[Field], at: int) -> bytes:
    number = choices.pick((1, 2, 3, 15, 99, 1024, 3000))
    extra = choices.pick((Field(number, VARINT, b"\x01"), Field(number, LENGTH, b"x")))
    return join([*parts[:at], extra, *parts[at:]])


def _emptied(parts: list[Field], at: int) -> bytes:
    empty = {VARINT: b"\x00", FIXED64: bytes(8), FIXED32: bytes(4), LENGTH: b""}
    return join([*parts[:at], parts[at]._replace(content=empty[parts[at].wire_type]), *parts[at + 1 :]])


def _replaced(choices: Choices, parts: list[Field], at: int) -> bytes:
    part = parts[at]
    if part.wire_type == VARINT:
        value = choices.pick((*NUMBERS, read_varint(part.content, 0, len(part.content))[0] + 1))
        content = encode_varint(value & (1 << 64) - 1)
    elif part.wire_type == LENGTH:
        content = choices.pick(TEXTS) if choices.chance(50) else raw_bytes.mutate(choices, part.content)
    else:
        content = choices.raw(len(part.content))
    return join([*parts[:at], part._replace(content=content), *parts[at + 1 :]])


def _swapped(choices: Choices, parts: list[Field], at: int) -> bytes:
    other = choices.below(len(parts))
    one, two = parts[at], parts[other]
    parts = list(parts)
    parts[at], parts[other] = one._replace(number=two.number), two._replace(number=one.number)
    return join(parts)


def _mistyped(choices: Choices, parts: list[Field], at: int) -> bytes:
    other = choices.pick((VARINT, FIXED64, LENGTH, FIXED32, 3, 4))
    return join([*parts[:at], parts[at]._replace(wire_type=other), *parts[at + 1 :]])


def _unchosen(change: Callable[[list[Field], int], bytes]) -> Callable[[Choices, list[Field], int], bytes]:
    """Return a mutation without random choices."""
    return lambda _, parts, at: change(parts, at)


MUTATIONS = (
    _unchosen(_drop),
    _unchosen(_twice),
    _unchosen(_last),
    _renumbered,
    _added,
    _unchosen(_emptied),
    _replaced,
    _replaced,
    _replaced,
    _swapped,
    _mistyped,
)
