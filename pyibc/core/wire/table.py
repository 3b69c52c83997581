"""Tables that map the fields of a value class to the fields of its protobuf message.

A decorator names the protobuf message of a class, and annotations of its fields give different names or
encodings. The table, with the conversion functions, is built when the class is defined; no field is looked
up by name later.

    @on_wire(channel_pb2.Packet)
    @value
    class Packet:
        sequence: int
        port_id_on_a: Annotated[str, Wire("source_port")]
        timeout_height_on_b: Annotated[Height, Wire("timeout_height")]  # Height has its own table
"""

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import (
    Any,
    ClassVar,
    Generic,
    TypeVar,
    get_origin,
    get_type_hints,
)

from google.protobuf.message import Message

from pyibc.codec.encoding import encode, leads_to
from pyibc.core.value import value
from pyibc.core.wire.columns import Absent, Column, column_of, mark_of
from pyibc.proto.always_written import ALWAYS_WRITTEN

_V = TypeVar("_V")

# -- generation of the functions that convert protobuf messages to values and back, once per class


def _getter(names: Iterable[str]) -> Callable[[Any], Iterable[Any]]:
    """Return a getter of several attributes, implemented in C."""
    first, *rest = names
    if rest:
        return attrgetter(first, *rest)
    only = attrgetter(first)
    return lambda holder: (only(holder),)


def unpacker(
    make: type[_V], columns: tuple[Column, ...], names: list[str], absent: dict[str, Any]
) -> Callable[[Any], _V]:
    """Return the function that converts a protobuf message to a value.

    Common shapes get specialised functions. Records of class `make` are created with the constructor of
    `tuple`, which takes half the time of their own.
    """
    get = _getter([column.path for column in columns])
    readers = [(at, column.read) for at, column in enumerate(columns) if column.read is not None]
    optional = [(at, column.path, column.missing) for at, column in enumerate(columns) if column.is_optional]
    constants = [(names.index(name), content) for name, content in absent.items()]
    if not optional and not constants and len(readers) <= 2:
        return _quick_unpacker(make, get, readers)

    build: Callable[[Iterable[Any]], _V] = partial(tuple.__new__, make)  # type: ignore[type-var]

    def unpack_any(wire: Any) -> _V:
        got = [*get(wire)]
        for at, read in readers:
            got[at] = read(got[at])
        for at, path, missing in optional:
            if not wire.HasField(path):
                got[at] = missing
        for at, content in constants:
            got.insert(at, content)
        return build(got)

    return unpack_any


def _quick_unpacker(
    make: Any, get: Callable[[Any], Iterable[Any]], readers: list[tuple[int, Callable[[Any], Any]]]
) -> Callable[[Any], Any]:
    """Return a fast converter for packets, heights and the relayer's messages with them."""
    if not readers:
        return lambda wire: tuple.__new__(make, get(wire))
    (first, read_first), (last, read_last) = readers[0], readers[-1]

    def unpack_one(wire: Any) -> Any:
        got = [*get(wire)]
        got[first] = read_first(got[first])
        return tuple.__new__(make, got)

    def unpack_two(wire: Any) -> Any:
        got = [*get(wire)]
        got[first] = read_first(got[first])
        got[last] = read_last(got[last])
        return tuple.__new__(make, got)

    return unpack_one if len(readers) == 1 else unpack_two


# recursion: over the columns of a table, when it is made
def filler(columns: Iterable[Column]) -> Callable[[Any], dict[str, Any]]:
    """Return the function that converts a value to arguments of the protobuf constructor, nested as dicts."""
    flat = [column for column in columns if "." not in column.path]
    groups = [(outer, filler(inner)) for outer, inner in _groups(columns).items()]
    if not flat:
        return lambda value: {outer: fill(value) for outer, fill in groups}
    paths = [column.path for column in flat]
    get = _getter([column.name for column in flat])
    writers = [(column.path, column.write) for column in flat if column.write is not None]

    def plain(value: Any) -> dict[str, Any]:
        return dict(zip(paths, get(value)))  # noqa: B905 - equal lengths

    def complete(value: Any) -> dict[str, Any]:
        content = dict(zip(paths, get(value)))  # noqa: B905 - as above
        for path, write in writers:
            content[path] = write(content[path])
        for outer, fill in groups:
            content[outer] = fill(value)
        return content

    return complete if writers or groups else plain


def _groups(columns: Iterable[Column]) -> dict[str, list[Column]]:
    """Return the columns inside nested messages without their own value class, by the message's field."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        outer, dot, inner = column.path.partition(".")
        if dot:
            found.setdefault(outer, []).append(column._replace(path=inner))
    return found


def writes_all(wire: type[Message], columns: Iterable[Column]) -> bool:
    """Return whether `fill` sets every message field that gogoproto writes even if it is empty."""
    descriptor: Any = wire.DESCRIPTOR
    written = {column.path.partition(".")[0] for column in columns if not column.is_optional}
    if not written.issuperset(ALWAYS_WRITTEN.get(descriptor.full_name, ())):
        return False
    return all(
        column.part.writes_all if column.part else not _has_below(descriptor, column.path)
        for column in columns
    )


# recursion: over the descriptors of a message
def _has_below(descriptor: Any, path: str) -> bool:
    """Return whether a field without a table may contain such fields."""
    outer, _, inner = path.partition(".")
    below = descriptor.fields_by_name[outer].message_type
    if below is None:
        return False
    if inner:
        return below.full_name in ALWAYS_WRITTEN or _has_below(below, inner)
    return leads_to(below, ALWAYS_WRITTEN)


# -- tables


@value
class Table(Generic[_V]):
    """Immutable table of the fields of a value class."""

    wire: Any
    columns: tuple[Column, ...]
    unpack: Callable[[Any], _V]
    """Protobuf message -> value. Raises the errors of the codecs."""
    fill: Callable[[Any], dict[str, Any]]
    """Value -> arguments of the protobuf message's constructor."""
    writes_all: bool

    @classmethod
    def of(cls, kind: type[_V], wire: type[Message]) -> "Table[_V]":
        """Return the table of a `@value` class or a NamedTuple.

        Raises:
            TypeError: `kind` is neither, a type is not supported, or the protobuf message lacks a field.
        """
        if not issubclass(kind, tuple):
            raise TypeError(f"{kind.__name__} is neither a @value class nor a NamedTuple")
        hints = get_type_hints(kind, include_extras=True)
        hints = {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}
        absent = {name: mark.content for name, hint in hints.items() if (mark := mark_of(hint, Absent))}
        columns = tuple([column_of(name, hint) for name, hint in hints.items() if name not in absent])
        for column in columns:
            _require_field(wire, column.path)
        unpack = unpacker(kind, columns, list(hints), absent)
        return cls(wire, columns, unpack, filler(columns), writes_all(wire, columns))

    def encode(self, of: _V) -> bytes:
        """Return the encoding of a value, identical to Go's (`pyibc/codec/encoding.py`)."""
        made: Message = self.wire(**self.fill(of))
        return made.SerializeToString(deterministic=True) if self.writes_all else encode(made)


def on_wire(wire: type[Message]) -> Callable[[type[_V]], type[_V]]:
    """Return a decorator that gives a value class its table."""

    def mark(cls: type[_V]) -> type[_V]:
        setattr(cls, "TABLE", Table.of(cls, wire))  # noqa: B010 - NamedTuples cannot declare it
        return cls

    return mark


def table_of(cls: type[_V]) -> Table[_V]:
    """Return the table of a value class."""
    table: Table[_V] = cls.TABLE  # type: ignore[attr-defined]
    return table


def unpack(cls: type[_V], wire: Message) -> _V:
    """Return the value of class `cls` of a protobuf message."""
    return table_of(cls).unpack(wire)


def pack(of: Any) -> Any:
    """Return the protobuf message of a value."""
    table = table_of(type(of))
    return table.wire(**table.fill(of))


def _require_field(wire: type[Message], path: str) -> None:
    descriptor: Any = wire.DESCRIPTOR
    for name in path.split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            raise TypeError(f"{wire.DESCRIPTOR.full_name} has no field {path}")
        descriptor = descriptor.fields_by_name[name].message_type
