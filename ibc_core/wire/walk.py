"""Protobuf bytes, walked by hand: the exact answer to whether a message holds unknown fields."""

from functools import lru_cache
from typing import NamedTuple

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import DescriptorProto
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

from ibc_core.coin import parse_amount
from ibc_core.errors import TxDecode
from ibc_core.wire.budget import ELEMENTS_OF_A_FIELD, Budget
from ibc_proto.varint import MalformedVarint, read_varint

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types. 3 and 4 are groups, which no message of ours has."""
_FIXED = {FIXED64: 8, FIXED32: 4}  # bytes

MAX_NESTING = 100
"""Messages inside each other, as upb's parser has it."""

_NON_CRITICAL = 1 << 10  # bit 11 of a field number
WHOLE_NUMBERS: dict[str, tuple[str, ...]] = {
    "cosmos.base.v1beta1.Coin": ("amount",),
    "ibc.applications.rate_limiting.v1.MsgAddRateLimit": ("max_percent_send", "max_percent_recv"),
    "ibc.applications.rate_limiting.v1.MsgUpdateRateLimit": ("max_percent_send", "max_percent_recv"),
}
"""Texts that Go holds as numbers (`math.Int`), by message: each is one, also where a later one counts."""

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


class _Known(NamedTuple):
    """What the walk needs to know about a field."""

    wire_types: tuple[int, ...]
    message: Descriptor | None
    is_text: bool
    is_integer: bool  # as text, which Go reads each time the field is given
    is_any: bool


def read_field(raw: bytes, at: int, end: int) -> tuple[int, int, int, int]:
    """The field at `raw[at:end]`: number, wire type, start of its content, end of it.

    Raises:
        TxDecode: it is cut off, or of no wire type that is in use.
    """
    if end - at > 1 and (tag := raw[at]) < 0x80 and (size := raw[at + 1]) < 0x80 and tag > 7:
        if tag & 7 == LENGTH and at + 2 + size <= end:  # nearly all that is written
            return tag >> 3, LENGTH, at + 2, at + 2 + size
        if tag & 7 == VARINT:
            return tag >> 3, VARINT, at + 1, at + 2
    return _read_any_field(raw, at, end)


def _read_any_field(raw: bytes, at: int, end: int) -> tuple[int, int, int, int]:
    """As `read_field`: of any length, or none."""
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


class Findings:
    """What a walk found that its caller must check."""

    __slots__ = ("anys", "no_utf8")

    def __init__(self) -> None:
        self.anys: list[bytes] = []
        """Every Any: of one given twice the last counts in the message, and both must be in order."""
        self.no_utf8: str | None = None
        """The first text field that is not UTF-8."""


def reject_unknown_fields(
    raw: bytes, descriptor: Descriptor, *, non_critical: bool, budget: Budget
) -> Findings:
    """Walks a message and all below it, but not into Anys; each field is charged to `budget`.

    Raises:
        TxDecode: a field that the message does not have (one with bit 11 of its number set passes if
            `non_critical`), one of the wrong wire type, malformed bytes, nesting beyond `MAX_NESTING`, or
            more work than the budget has.
    """
    walk = _Walk(raw, non_critical, budget, Findings())
    walk.message(0, len(raw), 0, descriptor)
    return walk.findings


class _Walk(NamedTuple):
    """The walk through one message."""

    raw: bytes
    non_critical: bool
    budget: Budget
    findings: Findings

    # recursion: MAX_NESTING messages
    def message(self, at: int, end: int, depth: int, descriptor: Descriptor) -> None:
        """Walks the message at `raw[at:end]`, which stands in `depth` others."""
        if depth > MAX_NESTING:
            raise TxDecode(f"more than {MAX_NESTING} messages inside each other")
        raw, fields, visit = self.raw, _fields(descriptor), self.budget.visit
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
            if field.is_text and self.findings.no_utf8 is None and not _is_utf8(raw[start:at]):
                self.findings.no_utf8 = f"{descriptor.full_name} field {number}"
            if field.is_integer and start < at and not _is_integer(raw[start:at]):
                raise TxDecode(f"{descriptor.full_name} field {number} is no integer")
            if field.is_any:
                self.findings.anys.append(raw[start:at])
            if field.message is not None:
                self.message(start, at, depth + 1, field.message)


def _is_integer(raw: bytes) -> bool:
    return parse_amount(raw.decode("utf-8", "replace")) is not None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(None)
def _fields(descriptor: Descriptor) -> dict[int, _Known]:
    proto = DescriptorProto()
    descriptor.CopyToProto(proto)
    return {field.number: _known(field, descriptor) for field in proto.field}


def _known(field: Field, descriptor: Descriptor) -> _Known:
    wire_type = _WIRE_TYPES.get(field.type, VARINT)
    repeated = field.label == Field.LABEL_REPEATED
    packable = repeated and wire_type != LENGTH
    return _Known(
        (wire_type, LENGTH) if packable else (wire_type,),
        descriptor.fields_by_number[field.number].message_type,
        field.type == Field.TYPE_STRING,
        field.name in WHOLE_NUMBERS.get(descriptor.full_name, ()),
        field.type_name == ".google.protobuf.Any",
    )
