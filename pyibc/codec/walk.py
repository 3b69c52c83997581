"""Exact detection of unknown fields by walking protobuf bytes in Python."""

from functools import lru_cache
from typing import NamedTuple

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import DescriptorProto
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

from pyibc.codec.budget import ELEMENTS_OF_A_FIELD, Budget
from pyibc.core.coin import parse_amount
from pyibc.core.errors import TxDecode
from pyibc.proto.varint import MalformedVarint, read_varint

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types, without groups (3 and 4), which no message has."""
_FIXED = {FIXED64: 8, FIXED32: 4}  # bytes

MAX_NESTING = 100
"""Maximum nesting of messages, as in upb's parser."""

_NON_CRITICAL = 1 << 10  # bit 11 of a field number
WHOLE_NUMBERS: dict[str, tuple[str, ...]] = {
    "cosmos.base.v1beta1.Coin": ("amount",),
    "ibc.applications.rate_limiting.v1.MsgAddRateLimit": ("max_percent_send", "max_percent_recv"),
    "ibc.applications.rate_limiting.v1.MsgUpdateRateLimit": ("max_percent_send", "max_percent_recv"),
}
"""String fields of Go's type `math.Int`, by message; every occurrence must be an integer.

An empty one has no effect: see `pyibc/codec/gogoproto.py`.
"""

_WIRE_TYPES = {
    Field.TYPE_FIXED64: FIXED64,
    Field.TYPE_SFIXED64: FIXED64,
    Field.TYPE_DOUBLE: FIXED64,
    Field.TYPE_FIXED32: FIXED32,
    Field.TYPE_SFIXED32: FIXED32,
    Field.TYPE_FLOAT: FIXED32,
    Field.TYPE_STRING: LENGTH,
    Field.TYPE_BYTES: LENGTH,
    Field.TYPE_MESSAGE: LENGTH,
}


class KnownField(NamedTuple):
    """Properties of a message's field that matter to a walk through its bytes."""

    wire_types: tuple[int, ...]
    message: Descriptor | None
    is_text: bool
    is_integer: bool  # a string that Go parses at every occurrence of the field
    is_any: bool
    is_part: bool  # a singular message: repeated occurrences are merged


def read_field(raw: bytes, at: int, end: int) -> tuple[int, int, int, int]:
    """Return the field at `raw[at:end]`: its number, wire type, start and end of its content.

    Raises:
        TxDecode: the field is truncated, or has an unknown wire type.
    """
    if end - at > 1 and (tag := raw[at]) < 0x80 and (size := raw[at + 1]) < 0x80 and tag > 7:
        if tag & 7 == LENGTH and at + 2 + size <= end:  # nearly all fields
            return tag >> 3, LENGTH, at + 2, at + 2 + size
        if tag & 7 == VARINT:
            return tag >> 3, VARINT, at + 1, at + 2
    return _read_any_field(raw, at, end)


def _read_any_field(raw: bytes, at: int, end: int) -> tuple[int, int, int, int]:
    """Parse a field as `read_field`, without its fast path."""
    try:
        tag, at = read_varint(raw, at, end)
        number, wire_type, start, stop = tag >> 3, tag & 7, at, end
        if wire_type == VARINT:
            value, stop = read_varint(raw, at, end)
            if value >> 64:
                raise TxDecode("malformed varint")
        elif wire_type == LENGTH:
            size, start = read_varint(raw, at, end)
            stop = start + size
        elif wire_type in _FIXED:
            stop = at + _FIXED[wire_type]
        else:
            raise TxDecode(f"wire type {wire_type}")
    except MalformedVarint as error:
        raise TxDecode(str(error)) from None
    if not 0 < number < 1 << 29:
        raise TxDecode(f"field number {number}")
    if stop > end:
        raise TxDecode("cut off")
    return number, wire_type, start, stop


class WalkResult:
    """Results of a walk that its caller must check."""

    __slots__ = ("anys", "gogoproto_differs", "no_utf8")

    def __init__(self) -> None:
        self.anys: list[bytes] = []
        """All Anys, including occurrences that a later one replaces; all must be valid."""
        self.no_utf8: str | None = None
        """The first string field with invalid UTF-8."""
        self.gogoproto_differs = False
        """True if gogoproto might decode differently, as of an empty number or a repeated message."""


def reject_unknown_fields(
    raw: bytes, descriptor: Descriptor, *, non_critical: bool, budget: Budget
) -> WalkResult:
    """Walk a message and its nested messages outside Anys, and charge each field to `budget`.

    Raises:
        TxDecode: a field is unknown (unless `non_critical` and bit 11 of its number is set) or has a wrong
            wire type, the bytes are malformed or nested deeper than `MAX_NESTING`, or the budget is
            exhausted.
    """
    walk = _Walk(raw, non_critical, budget, WalkResult())
    walk.message(0, len(raw), 0, descriptor)
    return walk.findings


class _Walk(NamedTuple):
    """State of a walk through one message."""

    raw: bytes
    non_critical: bool
    budget: Budget
    findings: WalkResult

    # recursion: MAX_NESTING messages
    def message(self, at: int, end: int, depth: int, descriptor: Descriptor) -> None:
        """Walk the message at `raw[at:end]`, inside `depth` others."""
        if depth > MAX_NESTING:
            raise TxDecode(f"more than {MAX_NESTING} messages inside each other")
        raw, fields, visit = self.raw, known_fields(descriptor), self.budget.visit
        parts: set[int] = set()
        while at < end:
            # guard: h60-fields-by-hand-cost-nothing {ELEMENTS_OF_A_FIELD => 0}
            #   test_h60_a_message_of_many_fields_that_is_not_canonical_is_refused_early
            visit(ELEMENTS_OF_A_FIELD)
            number, wire_type, start, at = read_field(raw, at, end)
            field = fields.get(number)
            if field is None:
                if self.non_critical and number & _NON_CRITICAL:
                    continue
                raise TxDecode(f"{descriptor.full_name} has no field {number}")
            if wire_type not in field.wire_types:
                raise TxDecode(f"{descriptor.full_name} field {number} has wire type {wire_type}")
            if field.is_text:
                self._text(field, raw[start:at], f"{descriptor.full_name} field {number}")
            if field.is_any:
                self.findings.anys.append(raw[start:at])
            if field.message is not None:
                self.message(start, at, depth + 1, field.message)
            if field.is_part:
                self.findings.gogoproto_differs |= number in parts
                parts.add(number)

    def _text(self, field: KnownField, content: bytes, where: str) -> None:
        if self.findings.no_utf8 is None and not _is_utf8(content):
            self.findings.no_utf8 = where
        if field.is_integer and not content:
            self.findings.gogoproto_differs = True
        elif field.is_integer and not _is_integer(content):
            raise TxDecode(f"{where} is no integer")


def _is_integer(raw: bytes) -> bool:
    return parse_amount(raw.decode("utf-8", "replace")) is not None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(None)
def known_fields(descriptor: Descriptor) -> dict[int, KnownField]:
    """Return the fields of a message type by their numbers."""
    proto = DescriptorProto()
    descriptor.CopyToProto(proto)
    return {field.number: _known(field, descriptor) for field in proto.field}


def _known(field: Field, descriptor: Descriptor) -> KnownField:
    wire_type = _WIRE_TYPES.get(field.type, VARINT)
    repeated = field.label == Field.LABEL_REPEATED
    packable = repeated and wire_type != LENGTH
    return KnownField(
        (wire_type, LENGTH) if packable else (wire_type,),
        descriptor.fields_by_number[field.number].message_type,
        field.type == Field.TYPE_STRING,
        field.name in WHOLE_NUMBERS.get(descriptor.full_name, ()),
        field.type_name == ".google.protobuf.Any",
        field.type == Field.TYPE_MESSAGE and not repeated,
    )
