"""JSON of protobuf messages as by ibc-go's codec (gogoproto's jsonpb), without loss.

The printer writes proto names, enums by name, 64-bit integers as strings, bytes in base64 and Anys with
`@type`. It writes every field, including empty lists and strings, and null for absent messages and empty
bytes, but only the set member of a oneof. The parser also accepts lowerCamelCase names, enums by number,
and numbers bare or quoted; unknown fields are errors.

Messages are nested at most `MAX_NESTING` deep, including those in Anys, which bounds the recursion
(docs/security.md, H243).
"""

import re
from base64 import b16encode, b64encode
from binascii import unhexlify
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from pyibc.codec import gojson
from pyibc.codec.anys import MAX_ANY_DEPTH, AnyMessage
from pyibc.codec.encoding import encode
from pyibc.codec.gojson import decode_base64
from pyibc.codec.gotime import print_duration, print_timestamp, read_duration, read_timestamp
from pyibc.codec.walk import MAX_NESTING
from pyibc.core.errors import TxDecode
from pyibc.core.setup_error import InvalidGenesis, shown
from pyibc.proto.always_written import ALWAYS_WRITTEN
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.pool import descriptor_of, message_class

_M = TypeVar("_M", bound=Message)

ANY = "google.protobuf.Any"
WELL_KNOWN = {
    "google.protobuf.Timestamp": (read_timestamp, print_timestamp),
    "google.protobuf.Duration": (read_duration, print_duration),
}
"""Messages that are a string in JSON: parser to seconds and nanoseconds, and printer."""

_I32, _I64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
_U32, _U64 = (0, 2**32 - 1), (0, 2**64 - 1)
RANGES = {
    FieldDescriptor.TYPE_INT32: _I32,
    FieldDescriptor.TYPE_SINT32: _I32,
    FieldDescriptor.TYPE_SFIXED32: _I32,
    FieldDescriptor.TYPE_INT64: _I64,
    FieldDescriptor.TYPE_SINT64: _I64,
    FieldDescriptor.TYPE_SFIXED64: _I64,
    FieldDescriptor.TYPE_UINT32: _U32,
    FieldDescriptor.TYPE_FIXED32: _U32,
    FieldDescriptor.TYPE_UINT64: _U64,
    FieldDescriptor.TYPE_FIXED64: _U64,
}


HEX = frozenset({"ibc.lightclients.tendermint.v1.ConsensusState.next_validators_hash"})
"""Fields of Go's type `HexBytes`, in hexadecimal instead of base64."""

_EMPTY = {
    FieldDescriptor.TYPE_STRING: "",
    FieldDescriptor.TYPE_BYTES: b"",
    FieldDescriptor.TYPE_BOOL: False,
}
"""Value of null in a list, by type; 0 for numbers."""


class Unprintable(ValueError):
    """Raised for a message that has no JSON.

    The message has an Any of an unknown type or with malformed bytes, a time after the year 9999, or more
    than `MAX_NESTING` nested messages.
    """


def to_json(message: Message) -> Any:
    """Return the message as a value for `json.dumps`.

    Raises:
        Unprintable: the message has no JSON.
    """
    return _to_json(message, 0)


# recursion: MAX_NESTING messages, Anys included
def _to_json(message: Message, nesting: int) -> Any:
    """Return the JSON of a message inside `nesting` others."""
    if nesting > MAX_NESTING:
        raise Unprintable(f"more than {MAX_NESTING} messages inside each other")
    name = message.DESCRIPTOR.full_name
    if name == ANY:
        return _any_to_json(message, nesting)
    if name in WELL_KNOWN:
        return _well_known_to_json(message)
    fields: Any = message.DESCRIPTOR.fields
    return {
        field.name: _field_to_json(message, field, nesting)
        for field in fields
        if not is_in_oneof(field) or message.HasField(field.name)
    }


def is_in_oneof(field: FieldDescriptor) -> bool:
    """Return whether a field is a member of a oneof, other than that of a proto3 `optional`."""
    oneof = field.containing_oneof
    return oneof is not None and oneof.name != f"_{field.name}"


def _any_to_json(packed: Any, nesting: int) -> dict[str, Any]:
    try:
        inner = message_class(packed.type_url.removeprefix("/")).FromString(packed.value)
    except (KeyError, DecodeError):
        raise Unprintable(f"an Any of type {packed.type_url[:100]!a}") from None
    if inner.DESCRIPTOR.full_name in WELL_KNOWN:
        return {"@type": packed.type_url, "value": _to_json(inner, nesting + 1)}
    return {"@type": packed.type_url, **_to_json(inner, nesting + 1)}


def _well_known_to_json(message: Any) -> str:
    _, text_of = WELL_KNOWN[message.DESCRIPTOR.full_name]
    try:
        return text_of(message.seconds, message.nanos)
    except ValueError as error:
        raise Unprintable(str(error)) from None


def _field_to_json(message: Message, field: FieldDescriptor, nesting: int) -> Any:
    content = getattr(message, field.name)
    if field.is_repeated:
        return [_one_to_json(field, each, nesting) for each in content]
    if field.has_presence and not message.HasField(field.name):
        always = field.name in ALWAYS_WRITTEN.get(message.DESCRIPTOR.full_name, ())
        return _to_json(content, nesting + 1) if always else None
    if field.full_name in HEX:
        return b16encode(content).decode()
    if field.type == FieldDescriptor.TYPE_BYTES and not content:
        return None  # a nil slice in Go, except in a list
    return _one_to_json(field, content, nesting)


def _one_to_json(field: FieldDescriptor, content: Any, nesting: int) -> Any:
    if field.message_type is not None:
        return _to_json(content, nesting + 1)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b64encode(content).decode() if content or field.is_repeated else None
    if field.enum_type is not None:
        named = field.enum_type.values_by_number.get(content)
        return content if named is None else named.name
    return str(content) if RANGES.get(field.type) in (_I64, _U64) else content


class _Misfit(Exception):
    """Raised for JSON that does not fit a message."""

    def __init__(self, key: str, got: object, why: str) -> None:
        super().__init__(key)
        self.key, self.got, self.why = key, got, why


def from_json(cls: type[_M], content: Any, key: str) -> _M:
    """Return the message of class `cls` in parsed JSON; absent fields are empty.

    Raises:
        InvalidGenesis: the JSON is malformed; the error has the path of the field from `key`.
    """
    try:
        return _read(cls, content, key, _TOP)
    except _Misfit as misfit:
        raise InvalidGenesis(misfit.key, misfit.got, misfit.why) from None


def read_any(content: Any) -> AnyMessage:
    """Return the Any in JSON, given as text or parsed; `@type` has the type of the other members.

    Raises:
        TxDecode: the JSON is malformed by Go's rules, or has an unknown type or field.
    """
    packed = read_message(any_pb2.Any, content)
    return AnyMessage(packed.type_url, packed.value)


def read_message(cls: type[_M], content: Any) -> _M:
    """Return the message of class `cls` in JSON, given as text or parsed.

    Raises:
        TxDecode: the JSON is malformed by Go's rules, or has an unknown field.
    """
    try:
        if isinstance(content, (str, bytes)):
            content = gojson.parse(content.encode() if isinstance(content, str) else content)
        return _read(cls, content, "", _TOP)
    except (gojson.JsonError, UnicodeEncodeError) as error:
        raise TxDecode(f"JSON: {error}") from None
    except _Misfit as misfit:
        raise TxDecode(f"JSON: {misfit.key[1:]}: {shown(misfit.got)} {misfit.why}") from None


def write_any(packed: AnyMessage) -> Any:
    """Return the JSON of an Any as a value for `json.dumps`; the inverse of `read_any`.

    Raises:
        Unprintable: see there.
    """
    return to_json(any_pb2.Any(type_url=packed.type_url, value=packed.value))


class _Depth(NamedTuple):
    """Nesting of a message in the input."""

    anys: int  # number of enclosing Anys
    messages: int  # number of enclosing messages, including Anys

    def in_any(self) -> "_Depth":
        """Return the depth of a message in an Any at this depth."""
        return _Depth(self.anys + 1, self.messages + 1)

    def in_message(self) -> "_Depth":
        """Return the depth of a field of a message at this depth."""
        return _Depth(self.anys, self.messages + 1)


_TOP = _Depth(0, 0)


def _read(cls: type[_M], content: Any, key: str, depth: _Depth) -> _M:
    made = cls()
    _fill(made, content, key, depth)
    return made


# recursion: MAX_NESTING messages, Anys included
def _fill(message: Any, content: Any, key: str, depth: _Depth) -> None:
    if depth.messages > MAX_NESTING:
        raise _Misfit(key, "{", f"stands in more than {MAX_NESTING} messages")
    name = message.DESCRIPTOR.full_name
    if name == ANY:
        _fill_any(message, content, key, depth.in_any())
        return
    if name in WELL_KNOWN:
        _fill_well_known(message, content, key)
        return
    members = _members(content, key)
    for field in message.DESCRIPTOR.fields:
        inner = members.pop(field.name, None)
        if field.json_name in members:  # takes precedence over the proto name, as in gogoproto
            inner = members.pop(field.json_name)
        if inner is not None:
            _fill_field(message, field, inner, f"{key}.{field.name}", depth)
    if members:
        unknown = next(iter(members))
        raise _Misfit(f"{key}.{unknown}", members[unknown], f"is no field of {name}")


def _members(content: Any, key: str) -> dict[str, Any]:
    """Return the members of an object; the last duplicate counts, as in Go."""
    if isinstance(content, gojson.Object):
        return dict(content.members)
    if not isinstance(content, Mapping):
        raise _Misfit(key, content, "is not an object")
    return dict(content)


def _fill_any(message: Any, content: Any, key: str, depth: _Depth) -> None:
    if depth.anys > MAX_ANY_DEPTH:
        raise _Misfit(key, "@type", f"stands in more than {MAX_ANY_DEPTH} Anys")
    members = _members(content, key)
    url = members.pop("@type", None)
    cls = _class_at(url) if isinstance(url, str) else None
    if cls is None:
        raise _Misfit(f"{key}.@type", url, "is no known type")
    rest = members.get("value") if descriptor_of(cls).full_name in WELL_KNOWN else members
    message.type_url, message.value = url, encode(_read(cls, rest, key, depth))


def _class_at(url: str) -> type[Message] | None:
    try:
        return message_class(url.removeprefix("/")) if url.startswith("/") and url.isascii() else None
    except KeyError:
        return None


def _fill_well_known(message: Any, content: Any, key: str) -> None:
    read, _ = WELL_KNOWN[message.DESCRIPTOR.full_name]
    try:
        message.seconds, message.nanos = read(_of_type(str, content, key))
    except (ValueError, _Misfit):
        raise _Misfit(key, content, f"is no {message.DESCRIPTOR.name}") from None


def _fill_field(message: Any, field: FieldDescriptor, content: Any, key: str, depth: _Depth) -> None:
    if not field.is_repeated:
        if field.message_type is None:
            setattr(message, field.name, _scalar(field, content, key))
            return
        child = getattr(message, field.name)
        child.SetInParent()
        _fill(child, content, key, depth.in_message())
        return
    if not isinstance(content, list):
        raise _Misfit(key, content, "is not a list")
    for number, each in enumerate(content):
        if field.message_type is None:
            one = _EMPTY.get(field.type, 0) if each is None else _scalar(field, each, f"{key}[{number}]")
            getattr(message, field.name).append(one)
        else:
            _fill(getattr(message, field.name).add(), each, f"{key}[{number}]", depth.in_message())


def _scalar(field: FieldDescriptor, content: Any, key: str) -> Any:
    if field.full_name in HEX:
        return _hexadecimal(content, key)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _raw(content, key)
    if field.enum_type is not None and isinstance(content, str):
        return _enum(field.enum_type, content, key)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return _of_type(bool, content, key)
    if field.type == FieldDescriptor.TYPE_STRING:
        return _text(content, key)
    return _number(RANGES.get(field.type, _I32), content, key)  # enums are 32 bits wide


def _raw(content: Any, key: str) -> bytes:
    found = decode_base64(content) if isinstance(content, str) else None
    if found is None:
        raise _Misfit(key, content, "is not base64")
    return found


def _hexadecimal(content: Any, key: str) -> bytes:
    try:
        return unhexlify(content)
    except (TypeError, ValueError):
        raise _Misfit(key, content, "is not hexadecimal") from None


def _enum(enum: EnumDescriptor, content: str, key: str) -> int:
    named = enum.values_by_name.get(content) if content.isascii() else None
    if named is None:
        raise _Misfit(key, content, f"is no {enum.name}")
    return named.number


def _of_type(kind: type, content: Any, key: str) -> Any:
    if type(content) is not kind:
        raise _Misfit(key, content, f"is no {kind.__name__}")
    return content


def _text(content: Any, key: str) -> str:
    text: str = _of_type(str, content, key)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise _Misfit(key, content, "is no text: half of a surrogate pair")
    return text


_integer = re.compile(r"-?(?:0|[1-9][0-9]{0,19})").fullmatch


def _number(allowed: tuple[int, int], content: Any, key: str) -> int:
    """Return an integer, bare or quoted, without fraction and exponent, as Go decodes integers."""
    low, high = allowed
    if isinstance(content, gojson.Number):
        content = content.text
    if isinstance(content, str) and _integer(content) and not (low == 0 and content[0] == "-"):
        content = int(content)
    if type(content) is not int or not low <= content <= high:
        raise _Misfit(key, content, f"is no number from {low} to {high}")
    return content
