"""Columns of a table to the functions that turn wire messages into values and back, made once a class."""

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from google.protobuf.message import Message

from ibc_core.wire.columns import Column
from ibc_core.wire.encoding import has_always_written
from ibc_proto.always_written import ALWAYS_WRITTEN

_V = TypeVar("_V")


def _getter(names: Iterable[str]) -> Callable[[Any], Iterable[Any]]:
    """All the attributes in one call of C."""
    first, *rest = names
    if rest:
        return attrgetter(first, *rest)
    only = attrgetter(first)
    return lambda holder: (only(holder),)


def unpacker(
    make: type[_V], columns: tuple[Column, ...], names: list[str], absent: dict[str, Any]
) -> Callable[[Any], _V]:
    """Wire message -> value; the rarer a shape, the more general its function.

    `make` is a class of records, tuples below: their own constructor takes twice as long as a tuple's.
    """
    get = _getter([column.path for column in columns])
    readers = [(at, column.read) for at, column in enumerate(columns) if column.read is not None]
    optional = [(at, column.path) for at, column in enumerate(columns) if column.is_optional]
    constants = [(names.index(name), content) for name, content in absent.items()]
    if not optional and not constants and len(readers) <= 2:
        return _quick_unpacker(make, get, readers)

    build: Callable[[Iterable[Any]], _V] = partial(tuple.__new__, make)  # type: ignore[type-var]

    def unpack_any(wire: Any) -> _V:
        got = [*get(wire)]
        for at, read in readers:
            got[at] = read(got[at])
        for at, path in optional:
            if not wire.HasField(path):
                got[at] = None
        for at, content in constants:
            got.insert(at, content)
        return build(got)

    return unpack_any


def _quick_unpacker(
    make: Any, get: Callable[[Any], Iterable[Any]], readers: list[tuple[int, Callable[[Any], Any]]]
) -> Callable[[Any], Any]:
    """Packets, heights and the messages that carry them: all that a relayer sends comes through here."""
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
    """Value -> what the wire message's constructor takes; nested messages as dicts, which are the fastest."""
    flat = [column for column in columns if "." not in column.path]
    groups = [(outer, filler(inner)) for outer, inner in _groups(columns).items()]
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


def writes_all(wire: type[Message], columns: Iterable[Column]) -> bool:
    """Whether `fill` gives every message field that must be on the wire even when it is empty."""
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
    """Whether a field without a table may have such fields below it."""
    outer, _, inner = path.partition(".")
    below = descriptor.fields_by_name[outer].message_type
    if below is None:
        return False
    if inner:
        return below.full_name in ALWAYS_WRITTEN or _has_below(below, inner)
    return has_always_written(below)
