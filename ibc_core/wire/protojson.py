"""Messages as JSON, as ibc-go prints them in a genesis, and back without loss.

Proto names, enums by name, 64-bit numbers as strings, bytes in base64, Anys with `@type`; every field is
there: empty lists and texts, and null for a message that is absent.
"""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from ibc_core.genesis.entries import InvalidGenesis, decode_base64
from ibc_core.wire.encoding import encode
from ibc_proto.always_written import ALWAYS_WRITTEN
from ibc_proto.pool import message_class

_M = TypeVar("_M", bound=Message)

ANY = "google.protobuf.Any"
WELL_KNOWN = ("google.protobuf.Timestamp", "google.protobuf.Duration")

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


class Unprintable(ValueError):
    """A message that has no JSON: an Any of an unknown type or of other bytes, a time past year 9999."""


def to_json(message: Message) -> Any:
    """The message as a value for `json.dumps`.

    Raises:
        Unprintable: see there.
    """
    name = message.DESCRIPTOR.full_name
    if name == ANY:
        return _any_to_json(message)
    if name in WELL_KNOWN:
        return _well_known_to_json(message)
    fields: Any = message.DESCRIPTOR.fields
    return {field.name: _field_to_json(message, field) for field in fields}


def _any_to_json(packed: Any) -> dict[str, Any]:
    try:
        inner = message_class(packed.type_url.removeprefix("/")).FromString(packed.value)
    except (KeyError, DecodeError):
        raise Unprintable(f"an Any of type {packed.type_url[:100]!a}") from None
    return {"@type": packed.type_url, **to_json(inner)}


def _well_known_to_json(message: Any) -> str:
    try:
        return cast("str", message.ToJsonString())
    except ValueError as error:
        raise Unprintable(str(error)) from None


def _field_to_json(message: Message, field: FieldDescriptor) -> Any:
    content = getattr(message, field.name)
    if field.is_repeated:
        return [_one_to_json(field, each) for each in content]
    if field.message_type is not None and not message.HasField(field.name):
        always = field.name in ALWAYS_WRITTEN.get(message.DESCRIPTOR.full_name, ())
        return to_json(content) if always else None
    return _one_to_json(field, content)


def _one_to_json(field: FieldDescriptor, content: Any) -> Any:
    if field.message_type is not None:
        return to_json(content)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b64encode(content).decode()
    if field.enum_type is not None:
        named = field.enum_type.values_by_number.get(content)
        return content if named is None else named.name
    return str(content) if RANGES.get(field.type) in (_I64, _U64) else content


def from_json(cls: type[_M], content: Any, key: str) -> _M:
    """The message in `content`; absent fields are empty.

    Raises:
        InvalidGenesis: it is malformed; the error names the field by its path from `key`.
    """
    made = cls()
    _fill(made, content, key)
    return made


def _fill(message: Any, content: Any, key: str) -> None:
    name = message.DESCRIPTOR.full_name
    if name == ANY:
        _fill_any(message, content, key)
        return
    if name in WELL_KNOWN:
        _fill_well_known(message, content, key)
        return
    if not isinstance(content, Mapping):
        raise InvalidGenesis(key, content, "is not an object")
    fields = message.DESCRIPTOR.fields_by_name
    for each, inner in content.items():
        if not each.isascii() or each not in fields:  # upb cannot look for half of a surrogate pair
            raise InvalidGenesis(f"{key}.{each}", inner, f"is no field of {name}")
        if inner is not None:
            _fill_field(message, fields[each], inner, f"{key}.{each}")


def _fill_any(message: Any, content: Any, key: str) -> None:
    url = content.get("@type") if isinstance(content, Mapping) else None
    cls = _class_at(url) if isinstance(url, str) else None
    if cls is None:
        raise InvalidGenesis(f"{key}.@type", url, "is no known type")
    inner = from_json(cls, {name: each for name, each in content.items() if name != "@type"}, key)
    message.type_url, message.value = url, encode(inner)


def _class_at(url: str) -> type[Message] | None:
    try:
        return message_class(url.removeprefix("/")) if url.startswith("/") and url.isascii() else None
    except KeyError:
        return None


def _fill_well_known(message: Any, content: Any, key: str) -> None:
    try:
        message.FromJsonString(content)
    except (AttributeError, TypeError, ValueError):
        raise InvalidGenesis(key, content, f"is no {message.DESCRIPTOR.name}") from None


def _fill_field(message: Any, field: FieldDescriptor, content: Any, key: str) -> None:
    if not field.is_repeated:
        if field.message_type is None:
            setattr(message, field.name, _scalar(field, content, key))
            return
        child = getattr(message, field.name)
        child.SetInParent()
        _fill(child, content, key)
        return
    if not isinstance(content, list):
        raise InvalidGenesis(key, content, "is not a list")
    for number, each in enumerate(content):
        if field.message_type is None:
            getattr(message, field.name).append(_scalar(field, each, f"{key}[{number}]"))
        else:
            _fill(getattr(message, field.name).add(), each, f"{key}[{number}]")


def _scalar(field: FieldDescriptor, content: Any, key: str) -> Any:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return decode_base64(content, key)
    if field.enum_type is not None:
        return _enum(field.enum_type, content, key)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return _of_type(bool, content, key)
    if field.type == FieldDescriptor.TYPE_STRING:
        return _text(content, key)
    return _number(RANGES[field.type], content, key)


def _enum(enum: EnumDescriptor, content: Any, key: str) -> int:
    known = isinstance(content, str) and content.isascii()
    named = enum.values_by_name.get(content) if known else None
    if named is None:
        raise InvalidGenesis(key, content, f"is no {enum.name}")
    return named.number


def _of_type(kind: type, content: Any, key: str) -> Any:
    if type(content) is not kind:
        raise InvalidGenesis(key, content, f"is no {kind.__name__}")
    return content


def _text(content: Any, key: str) -> str:
    text: str = _of_type(str, content, key)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidGenesis(key, content, "is no text: half of a surrogate pair")
    return text


def _number(allowed: tuple[int, int], content: Any, key: str) -> int:
    """A number, or one in decimal as 64-bit numbers are printed."""
    low, high = allowed
    digits = content.removeprefix("-") if isinstance(content, str) else ""
    if digits.isascii() and digits.isdigit() and len(digits) <= 20:
        content = int(content)
    if type(content) is not int or not low <= content <= high:
        raise InvalidGenesis(key, content, f"is no number from {low} to {high}")
    return content
