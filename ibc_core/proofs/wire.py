"""Reads protobuf the way gogoproto's generated code does, byte for byte.

Proofs reach a chain as raw bytes. Where gogoproto and upb disagree (wire types of known fields, replaced
oneof members, varint overflow, groups), a chain in Go decides, so this reader follows gogoproto.
"""

from collections.abc import Iterator

from ibc_core.errors import InvalidProof
from ibc_proto.varint import MalformedVarint, read_varint

VARINT, FIXED64, BYTES, GROUP_START, GROUP_END, FIXED32 = range(6)
_MASK64 = 2**64 - 1


BYTES_A_FIELD = 8
"""Of a proof, on average: those of a tree's steps have twelve and more."""
FREE_FIELDS = 256
"""Fields that even the shortest proof may have."""


class Allowance:
    """How many fields may be read of one proof, whatever they are nested in."""

    __slots__ = ("left",)

    def __init__(self, size: int) -> None:
        """For a proof of `size` bytes."""
        self.left = size // BYTES_A_FIELD + FREE_FIELDS

    def spend(self) -> None:
        """Counts a field, also one that is skipped; raises InvalidProof if there are more than may be."""
        # guard: h61-any-number-of-fields test_h61_a_proof_has_so_many_fields_for_its_size
        self.left -= 1
        if self.left < 0:
            raise InvalidProof("too many fields for its size")


def fields(data: bytes, known: dict[int, int], allowance: Allowance) -> Iterator[tuple[int, int, bytes]]:
    """Each known field in wire order as (number, varint, bytes); unknown ones are skipped.

    Args:
        data: one message.
        known: the wire type of each field, VARINT or BYTES.
        allowance: of the proof that the message is of.

    Raises:
        InvalidProof: gogoproto would refuse the bytes, or the allowance is spent.
    """
    try:
        yield from _fields(data, known, allowance)
    except MalformedVarint as error:
        raise InvalidProof(str(error)) from None


def _fields(data: bytes, known: dict[int, int], allowance: Allowance) -> Iterator[tuple[int, int, bytes]]:
    at, end = 0, len(data)
    while at < end:
        allowance.spend()
        tag, at = read_varint(data, at, end)
        number, wire_type = _field_number(tag), tag & 7
        if wire_type == GROUP_END or number <= 0:
            raise InvalidProof(f"illegal tag {tag} on the wire")
        expected = known.get(number)
        if expected is None:
            at = _skip(data, at, wire_type, allowance)
        elif expected != wire_type:
            raise InvalidProof(f"field {number} has wire type {wire_type}, expected {expected}")
        elif wire_type == VARINT:
            value, at = read_varint(data, at, end)
            yield number, value & _MASK64, b""
        else:
            stop, at = _length(data, at)
            yield number, 0, data[at:stop]
            at = stop


def int32(number: int) -> int:
    """The low 32 bits of a varint as a signed integer: Go's conversion of enums and int32 fields."""
    number &= 0xFFFFFFFF
    return number - 2**32 if number >= 2**31 else number


def _field_number(tag: int) -> int:
    return int32(tag >> 3)


def _length(data: bytes, at: int) -> tuple[int, int]:
    size, at = read_varint(data, at, len(data))
    size &= _MASK64
    if at + size > len(data):
        raise InvalidProof("unexpected end of bytes")
    return at + size, at


def _skip(data: bytes, at: int, wire_type: int, allowance: Allowance) -> int:
    """Where a field ends whose tag ends at `at`, and was counted; each other one inside of a group is too."""
    at, depth = _skip_value(data, at, wire_type)
    while depth and at < len(data):
        # guard: h61-groups-have-any-number-of-fields test_h61_a_proof_has_so_many_fields_for_its_size
        allowance.spend()
        tag, at = read_varint(data, at, len(data))
        at, change = _skip_value(data, at, tag & 7)
        depth += change
    if depth or at > len(data):
        raise InvalidProof("unexpected end of bytes")
    return at


def _skip_value(data: bytes, at: int, wire_type: int) -> tuple[int, int]:
    if wire_type == VARINT:
        return read_varint(data, at, len(data))[1], 0
    if wire_type == FIXED64:
        return at + 8, 0
    if wire_type == FIXED32:
        return at + 4, 0
    if wire_type == BYTES:
        return _length(data, at)[0], 0
    if wire_type in (GROUP_START, GROUP_END):
        return at, 1 if wire_type == GROUP_START else -1
    raise InvalidProof(f"illegal wire type {wire_type}")
