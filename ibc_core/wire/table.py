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

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, get_origin, get_type_hints

from google.protobuf.message import Message

from ibc_core.value import value
from ibc_core.wire.columns import Absent, Column, column_of, mark_of
from ibc_core.wire.conversions import filler, unpacker, writes_all
from ibc_core.wire.encoding import encode

_V = TypeVar("_V")


@value
class Table(Generic[_V]):
    """The fields of one class of values. Every value leads to its table: like it, it cannot be changed."""

    wire: Any
    columns: tuple[Column, ...]
    unpack: Callable[[Any], _V]
    """The value that a wire message carries; raises what its codecs do."""
    fill: Callable[[Any], dict[str, Any]]
    """What the wire message's constructor takes for a value."""
    writes_all: bool

    @classmethod
    def of(cls, kind: type[_V], wire: type[Message]) -> "Table[_V]":
        """The table of a `@value` or a NamedTuple.

        Raises:
            TypeError: `kind` is neither, an annotation says nothing that a table can hold, or the wire has no
                such field.
        """
        if not issubclass(kind, tuple):
            raise TypeError(f"{kind.__name__} is no record")
        hints = get_type_hints(kind, include_extras=True)
        hints = {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}
        absent = {name: mark.content for name, hint in hints.items() if (mark := mark_of(hint, Absent))}
        columns = tuple([column_of(name, hint) for name, hint in hints.items() if name not in absent])
        for column in columns:
            _require_field(wire, column.path)
        unpack = unpacker(kind, columns, list(hints), absent)
        return cls(wire, columns, unpack, filler(columns), writes_all(wire, columns))

    def encode(self, of: _V) -> bytes:
        """The bytes of a value, as Go would write them (`ibc_core/wire/encoding.py`)."""
        made: Message = self.wire(**self.fill(of))
        return made.SerializeToString(deterministic=True) if self.writes_all else encode(made)


def on_wire(wire: type[Message]) -> Callable[[type[_V]], type[_V]]:
    """Gives a class of values its table."""

    def mark(cls: type[_V]) -> type[_V]:
        setattr(cls, "TABLE", Table.of(cls, wire))  # noqa: B010 - NamedTuples cannot declare it
        return cls

    return mark


def table_of(cls: type[_V]) -> Table[_V]:
    """The table of a class that has one."""
    table: Table[_V] = cls.TABLE  # type: ignore[attr-defined]
    return table


def unpack(cls: type[_V], wire: Message) -> _V:
    """The value of class `cls` that a wire message carries."""
    return table_of(cls).unpack(wire)


def pack(of: Any) -> Any:
    """The wire message of a value."""
    table = table_of(type(of))
    return table.wire(**table.fill(of))


def _require_field(wire: type[Message], path: str) -> None:
    descriptor: Any = wire.DESCRIPTOR
    for name in path.split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            raise TypeError(f"{wire.DESCRIPTOR.full_name} has no field {path}")
        descriptor = descriptor.fields_by_name[name].message_type
