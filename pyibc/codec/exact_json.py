"""JSON messages of a counterparty chain that must print exactly as they were written.

ibc-go parses messages for interchain accounts and GMP with jsonpb, prints the result and compares both as
JSON values. Unknown fields, numbers instead of strings, lowerCamelCase names and absent fields are thus
refused; white space, member order and escapes are free.

A JSON value costs as much as a thousand bytes of text to parse, convert, print and compare. Values are
therefore counted before parsing, and an object that lacks a field of its message is refused before it is
converted.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from pyibc.codec import gojson
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.codec.gojson_members import count_values
from pyibc.codec.protojson import ANY, WELL_KNOWN, Unprintable, is_in_oneof, read_message, to_json
from pyibc.codec.walk import MAX_NESTING, WHOLE_NUMBERS
from pyibc.core.coin import parse_amount
from pyibc.core.errors import TxDecode
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.pool import descriptor_of, message_class

_M = TypeVar("_M", bound=Message)

BYTES_A_VALUE = 12
"""Minimum number of JSON bytes per value; the smallest coin has three values in thirty bytes."""
FREE_VALUES = 256
"""Number of values allowed in a text of any size."""

_whole_number = re.compile(r"0|-?[1-9][0-9]{0,77}").fullmatch


def read_exactly(cls: type[_M], raw: bytes) -> _M:
    """Return the message of class `cls` in JSON that is exactly its printed form.

    Raises:
        TxDecode: the JSON is malformed by Go's rules, is no such message, or prints differently.
    """
    return _read(cls, _parse(raw))


def read_messages(raw: bytes, wire: Callable[[str], type[Message]]) -> list[AnyMessage]:
    """Return the messages of a `CosmosTx` in JSON: `{"messages": [{"@type": "/...", ...}, ...]}`.

    The rules are those of `read_exactly`. `wire` returns the class of a type URL, which may be a plugin's
    own.

    Raises:
        TxDecode: as by `read_exactly`.
        IbcError: an error of `wire`.
    """
    members = _members(_parse(raw))
    listed = members.get("messages")
    if members.keys() != {"messages"} or not isinstance(listed, list):
        raise TxDecode("JSON: no CosmosTx")
    found = []
    for each in listed:
        fields = _members(each)
        url = fields.pop("@type", None)
        if not isinstance(url, str):
            raise TxDecode("JSON: a message without its type")
        found.append(AnyMessage(url, encode(_read(wire(url), gojson.Object(list(fields.items()))))))
    return found


def _parse(raw: bytes) -> gojson.Json:
    # guard: h253-any-number-of-values test_h253_a_text_has_so_many_values_for_its_size
    if count_values(raw) > len(raw) // BYTES_A_VALUE + FREE_VALUES:
        raise TxDecode("JSON: too many values for its size")
    try:
        return gojson.parse(raw)
    except gojson.JsonError as error:
        raise TxDecode(f"JSON: {error}") from None


def _members(content: gojson.Json) -> dict[str, gojson.Json]:
    if not isinstance(content, gojson.Object):
        raise TxDecode("JSON: no object")
    return dict(content.members)


def _read(cls: type[_M], content: gojson.Json) -> _M:
    # guard: h253-messages-are-made-of-what-lacks-fields test_h253_an_object_without_its_fields_is_no_message
    if not _has_fields(descriptor_of(cls), content, 0):
        raise TxDecode(f"JSON: {cls.DESCRIPTOR.name} prints otherwise than it was written")
    message = read_message(cls, content)
    try:
        printed = to_json(message)
    except Unprintable as error:
        raise TxDecode(f"JSON: {error}") from None
    # guard: h163-numbers-that-print-otherwise drop:all test_what_prints_otherwise_is_refused
    if not _is_same(content, printed) or not all(map(_is_printed_alike, _messages(message))):
        raise TxDecode(f"JSON: {cls.DESCRIPTOR.name} prints otherwise than it was written")
    return message


class _Members(NamedTuple):
    """Members of the JSON object of a message type."""

    always: frozenset[str]
    of_oneofs: frozenset[str]
    """Members of oneofs, which may be absent."""
    messages: tuple[tuple[str, Descriptor], ...]


@lru_cache(None)
def _members_of(descriptor: Descriptor) -> _Members:
    fields = [(field, is_in_oneof(field)) for field in descriptor.fields]
    return _Members(
        frozenset(field.name for field, varies in fields if not varies),
        frozenset(field.name for field, varies in fields if varies),
        tuple([(each.name, each.message_type) for each, _ in fields if each.message_type is not None]),
    )


# recursion: MAX_NESTING messages, and into no Any
def _has_fields(descriptor: Descriptor, content: gojson.Json, nesting: int) -> bool:
    """Return whether objects have all members of their messages; other faults are detected later."""
    name = descriptor.full_name
    if name == ANY or name in WELL_KNOWN or not isinstance(content, gojson.Object) or nesting > MAX_NESTING:
        return True
    members, expected = dict(content.members), _members_of(descriptor)
    if not expected.always <= members.keys() or len(members) > len(expected.always) + len(expected.of_oneofs):
        return False
    for field, below in expected.messages:
        inner = members.get(field)
        for each in inner if isinstance(inner, list) else (inner,):
            if not _has_fields(below, each, nesting + 1):
                return False
    return True


# recursion: no deeper than what protojson printed: 100 messages
def _is_same(given: gojson.Json, printed: Any) -> bool:
    """Return whether two JSON values are equal; of duplicate members, the last counts.

    The recursion is no deeper than `printed`. Numbers were parsed to integers, so -0 equals 0.
    """
    if isinstance(given, gojson.Object):
        members = dict(given.members)
        # guard: h163-json-that-prints-otherwise drop:all test_what_prints_otherwise_is_refused
        return (
            isinstance(printed, dict)
            and members.keys() == printed.keys()
            and all(_is_same(members[name], each) for name, each in printed.items())
        )
    if isinstance(given, list):
        return isinstance(printed, list) and len(given) == len(printed) and all(map(_is_same, given, printed))
    if isinstance(given, gojson.Number):
        return type(printed) is int and given.text in (str(printed), "-0")
    return type(given) is type(printed) and given == printed


# recursion: no deeper than what protojson read: 100 messages, Anys included
def _messages(message: Message) -> Iterator[Message]:
    """Yield a message and all nested ones, including those in Anys, which have been checked before."""
    if isinstance(message, any_pb2.Any):
        yield from _messages(message_class(message.type_url[1:]).FromString(message.value))
        return
    yield message
    for field, content in message.ListFields():
        if field.message_type is not None:
            for each in content if field.is_repeated else (content,):
                yield from _messages(each)


def _is_printed_alike(message: Any) -> bool:
    names = WHOLE_NUMBERS.get(message.DESCRIPTOR.full_name, ())
    return all(_is_whole(getattr(message, name)) for name in names)


def _is_whole(text: str) -> bool:
    """Return whether an integer prints as it is written, and fits 256 bits."""
    return _whole_number(text) is not None and parse_amount(text) is not None
