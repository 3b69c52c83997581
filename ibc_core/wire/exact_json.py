"""JSON of another chain's messages that must print again as it was written.

ibc-go reads what interchain accounts and GMP execute with jsonpb, prints the result and compares the two as
JSON values: what a message does not have, a number for a text, a lowerCamelCase name or an absent field is
refused. Blanks, the order of members and escapes are the writer's own.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.coin import parse_amount
from ibc_core.errors import TxDecode
from ibc_core.wire import gojson
from ibc_core.wire.encoding import encode
from ibc_core.wire.protojson import Unprintable, read_message, to_json
from ibc_core.wire.walk import WHOLE_NUMBERS
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.pool import message_class

_M = TypeVar("_M", bound=Message)

_whole_number = re.compile(r"0|-?[1-9][0-9]{0,77}").fullmatch


def read_exactly(cls: type[_M], raw: bytes) -> _M:
    """The message of class `cls` that JSON says, and that prints as the same JSON.

    Raises:
        TxDecode: it is no JSON by Go's rules, no such message, or prints otherwise.
    """
    return _read(cls, _parse(raw))


def read_messages(raw: bytes, wire: Callable[[str], type[Message]]) -> list[AnyMessage]:
    """The messages of the `CosmosTx` that JSON says: `{"messages": [{"@type": "/...", ...}, ...]}`.

    As `read_exactly`, but each is of the class that `wire` gives for its type: a plugin's own is in no pool
    of ours.

    Raises:
        TxDecode: as `read_exactly`.
        IbcError: what `wire` raises.
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
    try:
        return gojson.parse(raw)
    except gojson.JsonError as error:
        raise TxDecode(f"JSON: {error}") from None


def _members(content: gojson.Json) -> dict[str, gojson.Json]:
    if not isinstance(content, gojson.Object):
        raise TxDecode("JSON: no object")
    return dict(content.members)


def _read(cls: type[_M], content: gojson.Json) -> _M:
    message = read_message(cls, content)
    try:
        printed = to_json(message)
    except Unprintable as error:
        raise TxDecode(f"JSON: {error}") from None
    # guard: h163-numbers-that-print-otherwise drop:all test_what_prints_otherwise_is_refused
    if not _is_same(content, printed) or not all(map(_is_printed_alike, _messages(message))):
        raise TxDecode(f"JSON: {cls.DESCRIPTOR.name} prints otherwise than it was written")
    return message


# recursion: no deeper than what protojson printed: 100 messages
def _is_same(given: gojson.Json, printed: Any) -> bool:
    """Whether two JSON values are equal, of two members of one name the last.

    It goes no deeper than `printed`. A number was read into an integer, so that -0 is 0.
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
    """The message and all below it, in Anys too, which were read: none is too deep or of an unknown type."""
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
    """Whether a number prints as it is written, and is one of 256 bits."""
    return _whole_number(text) is not None and parse_amount(text) is not None
