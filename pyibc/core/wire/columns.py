"""Mapping of a value's annotated fields to protobuf fields, and their codecs."""

from collections.abc import Callable
from enum import Enum, IntEnum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
)

from pyibc.codec.anys import AnyMessage
from pyibc.core.value import sealed

_V = TypeVar("_V")


class FieldKind(Enum):
    """Type of a field's content."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    BYTES = "bytes"
    ENUM = "enum"
    ANY = "any"
    PART = "part"  # a nested value with a table
    OTHER = "other"  # with its own codec
    SIGNER = "signer"  # address of the required signer
    PROOF = "proof"  # MerkleProof bytes, or a solo machine's signature


Signer = Annotated[str, FieldKind.SIGNER]
"""The account that must sign the message, as text."""

Proof = Annotated[bytes, FieldKind.PROOF]
"""A proof about the counterparty chain's state, usually an encoded MerkleProof (ICS-23)."""


@sealed
class Codec(NamedTuple):
    """Conversion of a protobuf field's content to a value's field, and back."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] | None
    """Value -> argument of the protobuf constructor, or None to omit the field; None: unchanged."""


@sealed
class Wire(NamedTuple):
    """Annotation of a field: the path of the protobuf field."""

    path: str  # `name`, or `name.name` in a nested message without its own value class
    codec: Codec | None = None


@sealed
class Absent(NamedTuple):
    """Annotation of a field that is not on the wire; decoded values have `content`."""

    content: Any


@sealed
class Missing(NamedTuple):
    """Annotation of a field: decoded values have `content` if the protobuf field is absent."""

    content: AnyMessage


@sealed
class Column(NamedTuple):
    """A field of a value and its protobuf field."""

    name: str
    path: str
    kind: FieldKind
    part: Any  # the `Table` of a nested value; else None
    is_repeated: bool
    is_optional: bool  # `missing` if the protobuf field is absent
    read: Callable[[Any], Any] | None  # None: unchanged
    write: Callable[[Any], Any] | None
    missing: AnyMessage | None = None


def mark_of(hint: Any, kind: type[_V]) -> _V | None:
    """Return the metadata of class `kind` in an annotation; None if there is none."""
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((mark for mark in marks if isinstance(mark, kind)), None)


def column_of(name: str, hint: Any) -> Column:
    """Return the column of an annotated field.

    Raises:
        TypeError: the type is not supported.
    """
    where = mark_of(hint, Wire) or Wire(name)
    told = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if where.codec is not None:
        return Column(name, where.path, FieldKind.OTHER, None, False, False, *where.codec)
    arguments = get_args(told)
    is_optional = get_origin(told) is UnionType and arguments[1] is NoneType
    missing = mark_of(hint, Missing)
    is_repeated = get_origin(told) is tuple and arguments[1] is ...
    single = arguments[0] if is_optional or is_repeated else told
    part = single.TABLE if hasattr(single, "TABLE") else None
    codec = _codec(single)
    read, write = codec or (None, None)
    if is_repeated:
        read, write = _each(codec)
    elif is_optional and write is not None:
        write = _unless_none(write)
    kind = mark_of(hint, FieldKind) or _kind(name, single)
    content = None if missing is None else missing.content
    is_optional = is_optional or missing is not None
    return Column(name, where.path, kind, part, is_repeated, is_optional, read, write, content)


_SCALARS = {
    int: FieldKind.NUMBER,
    str: FieldKind.TEXT,
    bytes: FieldKind.BYTES,
    bool: FieldKind.FLAG,
    AnyMessage: FieldKind.ANY,
}


def _kind(name: str, told: Any) -> FieldKind:
    if told in _SCALARS:
        return _SCALARS[told]
    if hasattr(told, "TABLE"):
        return FieldKind.PART
    if isinstance(told, type) and issubclass(told, IntEnum):
        return FieldKind.ENUM
    raise TypeError(f"field {name}: unsupported type {told!a}")


def _codec(told: Any) -> Codec | None:
    """Return the codec of a single value; None if it is unchanged on the wire."""
    if told is AnyMessage:
        return Codec(_read_any, _write_any)
    if hasattr(told, "TABLE"):
        return Codec(told.TABLE.unpack, told.TABLE.fill)
    if isinstance(told, type) and issubclass(told, IntEnum):
        return Codec(_enum_reader(told), None)
    return None


def _read_any(packed: Any) -> AnyMessage:
    return AnyMessage(packed.type_url, packed.value)


def _write_any(packed: AnyMessage) -> dict[str, Any] | None:
    if not packed.type_url and not packed.value:
        return None
    return {"type_url": packed.type_url, "value": packed.value}


def _enum_reader(enum: type[IntEnum]) -> Callable[[int], IntEnum]:
    """Return a reader of enum numbers; unknown numbers become member 0, which checks refuse."""
    members = {member.value: member for member in enum}
    nameless = enum(0)
    return lambda number: members.get(number, nameless)


def _each(codec: Codec | None) -> Codec:
    if codec is None:
        return Codec(tuple, None)
    read, write = codec
    return Codec(
        lambda found: tuple([read(each) for each in found]),
        None if write is None else lambda given: [write(each) for each in given],
    )


def _unless_none(write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda given: None if given is None else write(given)
