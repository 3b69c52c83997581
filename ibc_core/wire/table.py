"""Values and the wire messages that carry them: a table for each class says which field is which.

A class names its wire message in a decorator, and its fields say what differs from the wire: another name,
another form. From the annotations a table is made when the class is, with the functions that turn one into
the other; nothing is looked up by name afterwards.

    @on_wire(channel_pb2.Packet)
    @value
    class Packet:
        sequence: int
        port_id_on_a: Annotated[str, Wire("source_port")]
        timeout_height_on_b: Annotated[Height, Wire("timeout_height")]  # Height has a table of its own
"""

from collections.abc import Callable, Iterable
from enum import Enum, IntEnum
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.wire.encoding import encode, has_always_written
from ibc_proto.always_written import ALWAYS_WRITTEN

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


class Codec(NamedTuple):
    """How the content of a wire field becomes a value's, and back."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any] | None
    """-> what the wire message's constructor takes, None to leave the field out; None: as it is."""


class Wire(NamedTuple):
    """In an annotation: where the field stands on the wire."""

    path: str  # `name`, or `name.name` inside a nested message that has no value of its own
    codec: Codec | None = None


class Absent(NamedTuple):
    """In an annotation: the field is not on the wire; a decoded value has `content` there."""

    content: Any


class Column(NamedTuple):
    """A field of a value, and the one on the wire."""

    name: str
    path: str
    kind: Kind
    part: "Table[Any] | None"  # of a PART
    is_repeated: bool
    is_optional: bool  # None where the wire field is absent
    read: Callable[[Any], Any] | None  # None: as it is on the wire
    write: Callable[[Any], Any] | None


class Table(Generic[_V]):
    """The fields of one class of values."""

    def __init__(self, cls: Callable[..., _V], wire: type[Message]) -> None:
        """`cls` takes its fields in order.

        Raises:
            TypeError: an annotation says nothing that a table can hold, or the wire has no such field.
        """
        hints = get_type_hints(cls, include_extras=True)
        hints = {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}
        absent = {name: mark.content for name, hint in hints.items() if (mark := _mark(hint, Absent))}
        self.wire: Any = wire
        self.columns = tuple([_column(name, hint) for name, hint in hints.items() if name not in absent])
        self.unpack: Callable[[Any], _V] = _unpacker(cls, self.columns, list(hints), absent)
        """The value that a wire message carries; raises what its codecs do."""
        self.fill: Callable[[Any], dict[str, Any]] = _filler(self.columns)
        """What the wire message's constructor takes for a value."""
        for column in self.columns:
            _require_field(wire, column.path)
        self.writes_all = _writes_all(wire, self.columns)

    def encode(self, value: _V) -> bytes:
        """The bytes of a value, as Go would write them (`ibc_core/wire/encoding.py`)."""
        made: Message = self.wire(**self.fill(value))
        return made.SerializeToString(deterministic=True) if self.writes_all else encode(made)


def on_wire(wire: type[Message]) -> Callable[[type[_V]], type[_V]]:
    """Gives a class of values its table."""

    def mark(cls: type[_V]) -> type[_V]:
        setattr(cls, "TABLE", Table(cls, wire))  # noqa: B010 - NamedTuples cannot declare it
        return cls

    return mark


def table_of(cls: type[_V]) -> Table[_V]:
    """The table of a class that has one."""
    table: Table[_V] = cls.TABLE  # type: ignore[attr-defined]
    return table


def unpack(cls: type[_V], wire: Message) -> _V:
    """The value of class `cls` that a wire message carries."""
    return table_of(cls).unpack(wire)


def pack(value: Any) -> Any:
    """The wire message of a value."""
    table = table_of(type(value))
    return table.wire(**table.fill(value))


# -- annotations to columns


def _mark(hint: Any, kind: type[_V]) -> _V | None:
    """What an annotation says beside the type."""
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((mark for mark in marks if isinstance(mark, kind)), None)


def _column(name: str, hint: Any) -> Column:
    where = _mark(hint, Wire) or Wire(name)
    told = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if where.codec is not None:
        return Column(name, where.path, Kind.OTHER, None, False, False, *where.codec)
    arguments = get_args(told)
    is_optional = get_origin(told) is UnionType and arguments[1] is NoneType
    is_repeated = get_origin(told) is tuple and arguments[1] is ...
    single = arguments[0] if is_optional or is_repeated else told
    part = table_of(single) if hasattr(single, "TABLE") else None
    codec = _codec(single)
    read, write = codec or (None, None)
    if is_repeated:
        read, write = _each(codec)
    elif is_optional and write is not None:
        write = _unless_none(write)
    kind = _mark(hint, Kind) or _kind(name, single)
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


def _require_field(wire: type[Message], path: str) -> None:
    descriptor: Any = wire.DESCRIPTOR
    for name in path.split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            raise TypeError(f"{wire.DESCRIPTOR.full_name} has no field {path}")
        descriptor = descriptor.fields_by_name[name].message_type


# -- columns to functions


def _getter(names: Iterable[str]) -> Callable[[Any], Iterable[Any]]:
    """All the attributes in one call of C."""
    first, *rest = names
    if rest:
        return attrgetter(first, *rest)
    only = attrgetter(first)
    return lambda holder: (only(holder),)


def _unpacker(
    make: Callable[..., _V], columns: tuple[Column, ...], names: list[str], absent: dict[str, Any]
) -> Callable[[Any], _V]:
    """Wire message -> value; the rarer a shape, the more general its function."""
    get = _getter([column.path for column in columns])
    readers = [(at, column.read) for at, column in enumerate(columns) if column.read is not None]
    optional = [(at, column.path) for at, column in enumerate(columns) if column.is_optional]
    constants = [(names.index(name), content) for name, content in absent.items()]
    if not optional and not constants and len(readers) <= 2:
        return _quick_unpacker(make, get, readers)

    def unpack_any(wire: Any) -> _V:
        got = [*get(wire)]
        for at, read in readers:
            got[at] = read(got[at])
        for at, path in optional:
            if not wire.HasField(path):
                got[at] = None
        for at, content in constants:
            got.insert(at, content)
        return make(*got)

    return unpack_any


def _quick_unpacker(
    make: Any, get: Callable[[Any], Iterable[Any]], readers: list[tuple[int, Callable[[Any], Any]]]
) -> Callable[[Any], Any]:
    """Packets, heights and the messages that carry them: all that a relayer sends comes through here."""
    if not readers:
        if issubclass(make, tuple):  # a NamedTuple's own constructor takes twice as long
            return lambda wire: tuple.__new__(make, get(wire))
        return lambda wire: make(*get(wire))
    (first, read_first), (last, read_last) = readers[0], readers[-1]

    def unpack_one(wire: Any) -> Any:
        got = [*get(wire)]
        got[first] = read_first(got[first])
        return make(*got)

    def unpack_two(wire: Any) -> Any:
        got = [*get(wire)]
        got[first] = read_first(got[first])
        got[last] = read_last(got[last])
        return make(*got)

    return unpack_one if len(readers) == 1 else unpack_two


def _filler(columns: Iterable[Column]) -> Callable[[Any], dict[str, Any]]:
    """Value -> what the wire message's constructor takes; nested messages as dicts, which are the fastest."""
    flat = [column for column in columns if "." not in column.path]
    groups = [(outer, _filler(inner)) for outer, inner in _groups(columns).items()]
    if not flat:
        return lambda value: {outer: fill(value) for outer, fill in groups}
    paths = [column.path for column in flat]
    get = _getter([column.name for column in flat])
    writers = [(column.path, column.write) for column in flat if column.write is not None]

    def plain(value: Any) -> dict[str, Any]:
        return dict(zip(paths, get(value)))  # noqa: B905 - one attribute a path

    def complete(value: Any) -> dict[str, Any]:
        content = dict(zip(paths, get(value)))  # noqa: B905 - as above
        for path, write in writers:
            content[path] = write(content[path])
        for outer, fill in groups:
            content[outer] = fill(value)
        return content

    return complete if writers or groups else plain


def _groups(columns: Iterable[Column]) -> dict[str, list[Column]]:
    """The columns inside nested messages that have no value of their own, by the message's field."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        outer, dot, inner = column.path.partition(".")
        if dot:
            found.setdefault(outer, []).append(column._replace(path=inner))
    return found


def _writes_all(wire: type[Message], columns: Iterable[Column]) -> bool:
    """Whether `fill` gives every message field that must be on the wire even when it is empty."""
    descriptor: Any = wire.DESCRIPTOR
    written = {column.path.partition(".")[0] for column in columns if not column.is_optional}
    if not written.issuperset(ALWAYS_WRITTEN.get(descriptor.full_name, ())):
        return False
    return all(
        column.part.writes_all if column.part else not _has_below(descriptor, column.path)
        for column in columns
    )


def _has_below(descriptor: Any, path: str) -> bool:
    """Whether a field without a table may have such fields below it."""
    outer, _, inner = path.partition(".")
    below = descriptor.fields_by_name[outer].message_type
    if below is None:
        return False
    if inner:
        return below.full_name in ALWAYS_WRITTEN or _has_below(below, inner)
    return has_always_written(below)
