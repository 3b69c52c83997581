"""Reads protobuf the way gogoproto's generated code does, byte for byte.

Proofs reach a chain as raw bytes. Where gogoproto and upb disagree (wire types of known fields, replaced
oneof members, varint overflow, groups), a chain in Go decides, so this reader follows gogoproto.
"""

from collections.abc import Iterator

from ibc_core.errors import InvalidProof

VARINT, FIXED64, BYTES, GROUP_START, GROUP_END, FIXED32 = range(6)
_MASK64 = 2**64 - 1


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at `at`, cut to 64 bits, and the position after it.

    Raises:
        InvalidProof: it is longer than ten bytes or not complete.
    """
    number = shift = 0
    while shift < 64:
        if at >= len(data):
            raise InvalidProof("unexpected end of bytes")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _MASK64, at
        shift += 7
    raise InvalidProof("varint overflows 64 bits")


def fields(data: bytes, known: dict[int, int]) -> Iterator[tuple[int, int, bytes]]:
    """Each known field in wire order as (number, varint, bytes); unknown ones are skipped.

    Args:
        data: one message.
        known: the wire type of each field, VARINT or BYTES.

    Raises:
        InvalidProof: gogoproto would refuse the bytes.
    """
    at = 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        number, wire_type = _field_number(tag), tag & 7
        if wire_type == GROUP_END or number <= 0:
            raise InvalidProof(f"illegal tag {tag} on the wire")
        expected = known.get(number)
        if expected is None:
            at = _skip(data, start)
        elif expected != wire_type:
            raise InvalidProof(f"field {number} has wire type {wire_type}, expected {expected}")
        elif wire_type == VARINT:
            value, at = varint(data, at)
            yield number, value, b""
        else:
            end, at = _length(data, at)
            yield number, 0, data[at:end]
            at = end


def int32(number: int) -> int:
    """The low 32 bits of a varint as a signed integer: Go's conversion of enums and int32 fields."""
    number &= 0xFFFFFFFF
    return number - 2**32 if number >= 2**31 else number


_SHORT = {number: bytes((number,)) for number in range(0x80)}
"""The varints of one byte: nearly all tags and lengths."""


def encode_varint(number: int) -> bytes:
    """The shortest varint of a non-negative number."""
    short = _SHORT.get(number)
    if short is not None:
        return short
    if 0 < number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field_number(tag: int) -> int:
    return int32(tag >> 3)


def _length(data: bytes, at: int) -> tuple[int, int]:
    size, at = varint(data, at)
    if at + size > len(data):
        raise InvalidProof("unexpected end of bytes")
    return at + size, at


def _skip(data: bytes, at: int) -> int:
    depth = 0
    while at < len(data):
        tag, at = varint(data, at)
        at, change = _skip_value(data, at, tag & 7)
        depth += change
        if depth < 0:
            raise InvalidProof("unexpected end of group")
        if at > len(data):
            raise InvalidProof("unexpected end of bytes")
        if depth == 0:
            return at
    raise InvalidProof("unexpected end of bytes")


def _skip_value(data: bytes, at: int, wire_type: int) -> tuple[int, int]:
    if wire_type == VARINT:
        return varint(data, at)[1], 0
    if wire_type == FIXED64:
        return at + 8, 0
    if wire_type == FIXED32:
        return at + 4, 0
    if wire_type == BYTES:
        return _length(data, at)[0], 0
    if wire_type in (GROUP_START, GROUP_END):
        return at, 1 if wire_type == GROUP_START else -1
    raise InvalidProof(f"illegal wire type {wire_type}")
