"""Decoding with the leniency of gogoproto's generated code, where it determines the result on a Go chain.

It differs from protobuf's C core: a known field with another wire type is an error instead of an unknown
field, a group may end with another number than it began with, tags may have ten bytes, and strings need not
be UTF-8. For `math.Int`, times and durations see `gogoproto_values`.
"""

from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from pyibc.codec.anys import MAX_ANY_DEPTH, AnyMessage, any_places
from pyibc.codec.budget import Budget
from pyibc.codec.encoding import leads_to
from pyibc.codec.gotime import duration_ns, is_timestamp
from pyibc.codec.walk import WHOLE_NUMBERS, known_fields
from pyibc.core.coin import parse_amount
from pyibc.core.errors import TxDecode
from pyibc.core.numbers import MAX_U64
from pyibc.proto.google.protobuf.duration_pb2 import Duration
from pyibc.proto.google.protobuf.timestamp_pb2 import Timestamp
from pyibc.proto.ibc.applications.gmp.v1.account_pb2 import CosmosTx
from pyibc.proto.pool import descriptor_of, message_class
from pyibc.proto.varint import encode_varint

# -- field parser with the behaviour of gogoproto's generated code, and its `math.Int`, times and durations
#
# Unknown fields are skipped leniently: a group may end with another number than it began with, and tags
# may have ten bytes.
#
# `math.Int`, times and durations are validated for each occurrence of a field. An empty string does not
# change an earlier number, and the last time or duration replaces earlier ones. In contrast, protobuf's C
# core would clear the number and merge the times.

VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 = 0, 1, 2, 3, 4, 5
_MAX_SHIFT = 63
_MAX_INT = 2**63 - 1
_MAX_FIELD = 2**31 - 1


class Span(NamedTuple):
    """Position of a field in its message."""

    number: int
    wire_type: int
    begin: int  # of its tag
    start: int  # of its content, after tag and length
    end: int


def spans(raw: bytes, budget: Budget) -> Iterator[Span]:
    """Yield the fields of a message, charging `budget` an element for each.

    Raises:
        TxDecode: the bytes are malformed, or the budget is exhausted.
    """
    at = 0
    while at < len(raw):
        # guard: h252-fields-by-hand-cost-nothing test_h252_a_transaction_has_so_many_fields_for_its_size
        budget.visit(1)
        begin = at
        tag, start = _varint(raw, at)
        number, wire_type = tag >> 3 & 0xFFFFFFFF, tag & 7
        # guard: h169-any-field test_h169_what_gogoproto_refuses
        if wire_type == END_GROUP or not 0 < number <= _MAX_FIELD:
            raise TxDecode(f"field {number} of wire type {wire_type}")
        if wire_type == LENGTH:
            size, start = _varint(raw, start)
            at = _within(raw, start + size, size)
        else:
            at = _skip(raw, at, budget)
        yield Span(number, wire_type, begin, start, at)


def check_has_length(span: Span) -> None:
    """Check that a field is length-delimited.

    Raises:
        TxDecode: the field has another wire type.
    """
    # guard: h169-a-field-of-any-wire-type test_h169_what_gogoproto_refuses
    if span.wire_type != LENGTH:
        raise TxDecode(f"field {span.number} has wire type {span.wire_type}")


def fields(raw: bytes, known: Container[int], budget: Budget) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of the fields `known`, which must be length-delimited; skip other fields.

    Raises:
        TxDecode: as by `spans`, or a known field has another wire type.
    """
    for span in spans(raw, budget):
        if span.number in known:
            check_has_length(span)
            yield span.number, raw[span.start : span.end]


def _skip(raw: bytes, at: int, budget: Budget) -> int:
    """Return the end of the field at `at`; a group ends when as many are closed as were opened."""
    depth = 0
    while True:
        tag, at = _varint(raw, at)
        wire_type = tag & 7
        if wire_type == VARINT:
            _, at = _varint(raw, at)
        elif wire_type in {FIXED64, FIXED32}:
            at += 8 if wire_type == FIXED64 else 4
        elif wire_type == LENGTH:
            size, at = _varint(raw, at)
            at = _within(raw, at + size, size)
        elif wire_type in {GROUP, END_GROUP}:
            depth += 1 if wire_type == GROUP else -1
        else:
            raise TxDecode(f"wire type {wire_type}")
        if depth == 0:
            return _within(raw, at, 0)
        # guard: h252-groups-have-any-number-of-fields test_h252_a_transaction_has_so_many_fields_for_its_size
        budget.visit(1)


def _within(raw: bytes, end: int, size: int) -> int:
    # guard: h169-a-size-beyond-the-end test_h169_what_gogoproto_refuses
    if size > _MAX_INT or end > len(raw):
        raise TxDecode("cut off")
    return end


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return a varint of at most ten bytes and its end; bits beyond 64 are dropped."""
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


_DURATION = "google.protobuf.Duration"
_TIMES: Mapping[str, Any] = {"google.protobuf.Timestamp": Timestamp, _DURATION: Duration}


def as_gogoproto_reads(raw: bytes, cls: type[Message], budget: Budget) -> bytes:
    """Return an encoding from which protobuf's C core decodes the values that gogoproto decodes from `raw`.

    The content of Anys is not visited. `raw` has been parsed before, which limits its nesting. `budget` is
    charged an element for each field.

    Raises:
        TxDecode: a number, time or duration is invalid, or the budget is exhausted.
    """
    known = _values(descriptor_of(cls))
    return _rewritten(raw, known, budget) if known else raw


def check_times(message: Message) -> None:
    """Check the times and durations in a decoded message, outside Anys.

    Raises:
        TxDecode: a time or duration is invalid.
    """
    _check_times(message, _values(descriptor_of(type(message))))


# recursion: over the message, as deep as it was parsed
def _rewritten(raw: bytes, known: Mapping[int, FieldDescriptor], budget: Budget) -> bytes:
    parts = bytearray()
    for span in spans(raw, budget):
        field = known.get(span.number)
        if field is None:
            parts += raw[span.begin : span.end]
            continue
        check_has_length(span)
        content = raw[span.start : span.end]
        if field.message_type is None:
            # guard: gogoproto-an-empty-number-counts {not content => False}
            #   test_an_empty_amount_leaves_the_one_before_it
            if not content:
                continue
            _check_number(field, content)
            parts += raw[span.begin : span.end]
            continue
        if field.message_type.full_name in _TIMES:
            content = _time(field, field.message_type.full_name, content)
        else:
            content = _rewritten(content, _values(field.message_type), budget)
        parts += encode_varint(span.number << 3 | span.wire_type) + encode_varint(len(content)) + content
    return bytes(parts)


def _check_number(field: FieldDescriptor, content: bytes) -> None:
    if parse_amount(content.decode("utf-8", "replace")) is None:
        raise TxDecode(f"{field.full_name} is no integer")


def _time(field: FieldDescriptor, kind: str, content: bytes) -> bytes:
    """Return the encoding of a time or duration with both fields, to replace an earlier one completely."""
    try:
        found = _TIMES[kind].FromString(content)
    except DecodeError as error:
        raise TxDecode(f"malformed {field.full_name}") from error
    _check_time(field, kind, found)
    return b"\x08" + encode_varint(found.seconds & MAX_U64) + b"\x10" + encode_varint(found.nanos & MAX_U64)


# recursion: over the message, as deep as it was parsed
def _check_times(message: Any, known: Mapping[int, FieldDescriptor]) -> None:
    for field in known.values():
        if field.message_type is None:
            continue
        if field.is_repeated:
            given = getattr(message, field.name)
        else:
            given = (getattr(message, field.name),) if message.HasField(field.name) else ()
        kind = field.message_type.full_name
        below = {} if kind in _TIMES else _values(field.message_type)
        for each in given:
            if kind in _TIMES:
                _check_time(field, kind, each)
            else:
                _check_times(each, below)


def _check_time(field: FieldDescriptor, kind: str, found: Any) -> None:
    is_duration, seconds, nanos = kind == _DURATION, found.seconds, found.nanos
    # guard: gogoproto-any-time-is-read test_a_time_that_is_none_is_not_read
    if duration_ns(seconds, nanos) is None if is_duration else not is_timestamp(seconds, nanos):
        raise TxDecode(f"{field.full_name} is no {'duration' if is_duration else 'time'}")


@lru_cache(None)
def _values(descriptor: Descriptor) -> dict[int, FieldDescriptor]:
    """Return the fields that are numbers, times or durations, or contain some, by number."""
    numbers = WHOLE_NUMBERS.get(descriptor.full_name, ())
    return {
        field.number: field
        for field in descriptor.fields
        if field.name in numbers or leads_to(field.message_type, _TIMES.keys() | WHOLE_NUMBERS.keys())
    }


# -- messages


def read_cosmos_tx(raw: bytes) -> list[AnyMessage]:
    """Return the messages of a `CosmosTx` of interchain accounts or GMP as Anys, not decoded.

    The budget is that of the bytes' size; each message and each field walked in Python is an element.

    Raises:
        TxDecode: the bytes are malformed, or have too many fields for their size.
    """
    budget = Budget(len(raw))
    try:
        found = CosmosTx.FromString(raw)
    except DecodeError:
        # guard: h169-what-c-refuses-is-refused {=> raise TxDecode('') from None}
        #   test_h169_what_gogoproto_takes
        return _walk(raw, budget)
    found.DiscardUnknownFields()
    # guard: h169-what-is-not-canonical-is-read-in-c test_h169_what_gogoproto_refuses
    if found.SerializeToString() != raw:  # both decoders agree on canonical bytes
        return _walk(raw, budget)
    # guard: h252-messages-cost-nothing drop
    #   test_h252_a_transaction_has_so_many_fields_for_its_size
    budget.visit(len(found.messages))
    return [AnyMessage(each.type_url, each.value) for each in found.messages]


def _walk(raw: bytes, budget: Budget) -> list[AnyMessage]:
    return [_any(content, budget) for _, content in fields(raw, (1,), budget)]


def _any(raw: bytes, budget: Budget) -> AnyMessage:
    parts = {1: b"", 2: b""} | dict(fields(raw, (1, 2), budget))
    return AnyMessage(parts[1].decode(errors="replace"), parts[2])


# recursion: MAX_ANY_DEPTH Anys, each as deep as its type's descriptors lead to another
def without_unknown(cls: type[Message], raw: bytes, budget: Budget, depth: int = 0) -> bytes:
    """Return a message's bytes without unknown fields, which Go drops, including in its Anys.

    Numbers, times and durations are parsed as by Go. The content of an Any of a type outside this package's
    pool is unchanged. `budget` is charged for each byte once per enclosing Any, and for unknown fields,
    Anys and fields walked in Python as elements. `depth` is the number of enclosing Anys.

    Raises:
        TxDecode: the bytes are malformed, a known field has another wire type, a number, time or duration is
            invalid, or the budget is exhausted.
    """
    # guard: h162-reading-costs-nothing test_h162_the_budget_counts_what_is_read
    budget.read(len(raw))
    try:
        bare = cls.FromString(raw)
    except DecodeError as error:
        raise TxDecode(f"malformed {cls.DESCRIPTOR.full_name}") from error
    bare.DiscardUnknownFields()
    written = bare.SerializeToString()
    # guard: h163-a-wrong-field-behind-what-grows {written != raw => len(written) != len(raw)}
    #   test_a_wrong_wire_type_does_not_hide_behind_what_grows_when_it_is_written_again
    if written != raw:  # otherwise nothing was dropped; sizes do not suffice, as re-encoding may grow
        if bare.ByteSize() != cls.FromString(raw).ByteSize():
            _check_wire_types(raw, descriptor_of(cls), budget)
        bare = cls.FromString(as_gogoproto_reads(raw, cls, budget))
        bare.DiscardUnknownFields()
        written = bare.SerializeToString()
    check_times(bare)
    if not any_places(cls):
        return written
    _forget_in_anys(bare, budget, depth)
    return bare.SerializeToString()


# recursion: over the message, as deep as it was parsed
def _check_wire_types(raw: bytes, descriptor: Descriptor, budget: Budget) -> None:
    """Check the wire types of known fields: gogoproto refuses others, the C core drops such fields.

    The walk is in Python: the C core creates an object for each unknown field before any can be counted.
    """
    known = known_fields(descriptor)
    # guard: h252-unknown-fields-cost-nothing {budget => Budget(1 << 30)} test_h252_unknown_fields_are_counted
    for span in spans(raw, budget):
        field = known.get(span.number)
        if field is None:
            continue
        # guard: h163-a-field-of-another-wire-type test_h163_a_known_field_of_another_wire_type_is_an_error
        if span.wire_type not in field.wire_types:
            raise TxDecode(f"field {span.number} has wire type {span.wire_type}")
        if field.message is not None:
            _check_wire_types(raw[span.start : span.end], field.message, budget)


def _forget_in_anys(message: Message, budget: Budget, depth: int) -> None:
    for place in any_places(type(message)):
        content = getattr(message, place.field)
        for each in content if place.repeated else (content,) * message.HasField(place.field):
            # guard: h252-anys-cost-nothing test_h252_anys_in_a_message_are_counted
            budget.visit(1)
            if not place.is_any:
                _forget_in_anys(each, budget, depth)
            elif depth < MAX_ANY_DEPTH and (cls := _class_of(each.type_url)) is not None:
                # guard: h163-unknown-fields-inside-of-anys {without_unknown(cls, each.value, budget, depth +
                #   1) => bytes(each.value)} test_h163_they_are_dropped_inside_of_anys_too
                each.value = without_unknown(cls, each.value, budget, depth + 1)


def _class_of(type_url: str) -> type[Message] | None:
    try:
        return message_class(type_url[1:]) if type_url.startswith("/") else None
    except KeyError:
        return None
