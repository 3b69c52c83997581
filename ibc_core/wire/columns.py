"""What annotations say of a value's fields: where each stands on the wire, what it holds, how it is read."""

from collections.abc import Callable
from enum import Enum, IntEnum
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

from ibc_core.any_message import AnyMessage
from ibc_core.value import sealed

_V = TypeVar("_V")


class Kind(Enum):
    """What a field holds."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    BYTES = "bytes"
    ENUM = "enum"
    ANY = "any"
    PART = "part"  # a value with a table
    OTHER = "other"  # by a codec of its own
    SIGNER = "signer"  # the address that must sign
    PROOF = "proof"  # MerkleProof bytes, or a solo machine's signature


Signer = Annotated[str, Kind.SIGNER]
"""The account that must sign the message, as text."""

Proof = Annotated[bytes, Kind.PROOF]
"""What shows something of another chain's state: MerkleProof bytes (ICS-23)."""


@sealed
class Codec(NamedTuple):
    """How the content of a wire field becomes a value's, and back."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] | None
    """-> what the wire message's constructor takes, None to leave the field out; None: as it is."""


@sealed
class Wire(NamedTuple):
    """In an annotation: where the field stands on the wire."""

    path: str  # `name`, or `name.name` inside a nested message that has no value of its own
    codec: Codec | None = None


@sealed
class Absent(NamedTuple):
    """In an annotation: the field is not on the wire; a decoded value has `content` there."""

    content: Any


@sealed
class Column(NamedTuple):
    """A field of a value, and the one on the wire."""

    name: str
    path: str
    kind: Kind
    part: Any  # the `Table` of a PART; else None
    is_repeated: bool
    is_optional: bool  # None where the wire field is absent
    read: Callable[[Any], Any] | None  # None: as it is on the wire
    write: Callable[[Any], Any] | None


def mark_of(hint: Any, kind: type[_V]) -> _V | None:
    """What an annotation says beside the type, if it says anything of that kind."""
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((mark for mark in marks if isinstance(mark, kind)), None)


def column_of(name: str, hint: Any) -> Column:
    """The column of an annotated field.

    Raises:
        TypeError: no table holds values of its type.
    """
    where = mark_of(hint, Wire) or Wire(name)
    told = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if where.codec is not None:
        return Column(name, where.path, Kind.OTHER, None, False, False, *where.codec)
    arguments = get_args(told)
    is_optional = get_origin(told) is UnionType and arguments[1] is NoneType
    is_repeated = get_origin(told) is tuple and arguments[1] is ...
    single = arguments[0] if is_optional or is_repeated else told
    part = single.TABLE if hasattr(single, "TABLE") else None
    codec = _codec(single)
    read, write = codec or (None, None)
    if is_repeated:
        read, write = _each(codec)
    elif is_optional and write is not None:
        write = _unless_none(write)
    kind = mark_of(hint, Kind) or _kind(name, single)
    return Column(name, where.path, kind, part, is_repeated, is_optional, read, write)


_SCALARS = {int: Kind.NUMBER, str: Kind.TEXT, bytes: Kind.BYTES, bool: Kind.FLAG, AnyMessage: Kind.ANY}


def _kind(name: str, told: Any) -> Kind:
    if told in _SCALARS:
        return _SCALARS[told]
    if hasattr(told, "TABLE"):
        return Kind.PART
    if isinstance(told, type) and issubclass(told, IntEnum):
        return Kind.ENUM
    raise TypeError(f"field {name}: no table holds {told!a}")


def _codec(told: Any) -> Codec | None:
    """The codec of one value; None: it is the same on the wire."""
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
    """Number -> member; a number without a name becomes member 0, which no message may ask for."""
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
