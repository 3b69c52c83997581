"""Shapes of every field of a message and its nested messages, generated from the descriptors.

A place is a path of fields from the message down, through Anys. A shape is written to a place by appending: a
repeated message field is merged by the decoder, so the message stays valid and is read as far as possible.
Each type of nested message is visited only where it is first found.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from conformance.fuzz.recursion import nested
from conformance.fuzz.samples import sample
from conformance.fuzz.scalars import Shape, message_shapes, shapes
from conformance.fuzz.types import ANY, held
from conformance.fuzz.wire import packed, repeat, wrapped
from pyibc.proto.pool import POOL, descriptor_of, message_class

MAX_DEPTH = 12
"""Maximum nesting depth of fields."""

Write = Callable[[int], bytes]
"""Return an encoding of about the given number of bytes."""


class Written(NamedTuple):
    """A shape at a place of a message."""

    name: str  # `field.field: shape`
    write: Write
    """Return the whole message with the shape, of about the given number of bytes."""


@dataclass(frozen=True)
class _Place:
    """A nested message, with its position in the whole message."""

    descriptor: Descriptor
    name: str  # "" or `field.field.`
    there: Any  # the message that is there; None if the field is not set
    around: Callable[[bytes], bytes]
    """Return the whole message with the given bytes appended to the nested message."""


def written(
    cls: type[Message], base: bytes = b"", hidden: Mapping[str, str] | None = None, *, every: bool = False
) -> Iterator[Written]:
    """Return every shape at every place of a message of class `cls`.

    Args:
        cls: The message's class.
        base: The message that shapes are appended to.
        hidden: Bytes fields that contain an encoded message: field name -> message name.
        every: Whether each field gets all shapes of its type, instead of a selection.
    """
    whole = _Place(descriptor_of(cls), "", cls.FromString(base), lambda more: base + more)
    return _Walk(hidden or {}, every).below(whole, MAX_DEPTH)


class _Walk:
    """Traversal of the places below one message, each type once."""

    def __init__(self, hidden: Mapping[str, str], every: bool) -> None:
        self._hidden = hidden
        self._every = every
        self._seen: set[str] = set()

    def below(self, place: _Place, depth: int) -> Iterator[Written]:
        """Return the shapes of a message and of its nested messages."""
        if place.descriptor.full_name in self._seen or not depth:
            return
        self._seen.add(place.descriptor.full_name)
        for shape in message_shapes():
            yield _at(place, "*", shape)
        for field in place.descriptor.fields:
            for shape in (*self._shapes(field), *_own_again(place, field)):
                yield _at(place, field.name, shape)
            for inner in self._inner(place, field):
                yield from self.below(inner, depth - 1)

    def _shapes(self, field: FieldDescriptor) -> Iterator[Shape]:
        if field.message_type is None:
            yield from shapes(field, every=self._every)
            return
        empty, filled = (packed(field.number, each) for each in (b"", sample(field.message_type)))
        yield Shape("empty again and again", lambda size: repeat(empty, size))
        yield Shape("filled again and again", lambda size: repeat(filled, size))
        yield from nested(field, field.message_type)

    def _inner(self, place: _Place, field: FieldDescriptor) -> Iterator[_Place]:
        name = f"{place.name}{field.name}"
        if field.message_type is None:
            hidden = self._hidden.get(field.full_name)
            if hidden is not None:
                yield _in_bytes(place, field, hidden, f"{name}.")
            return
        there = _first(place.there, field)
        yield _Place(field.message_type, f"{name}.", there, _inside(place, field))
        if field.message_type.full_name == ANY:
            for held_name in held(field):
                yield _in_any(place, field, held_name, f"{name}({_short(held_name)}).")


def _short(name: str) -> str:
    """Return a type name without its version and package prefix: `tendermint.Header`."""
    package, _, message = name.rpartition(".")
    last = [part for part in package.split(".") if not re.fullmatch(r"v[0-9]\w*", part)][-1]
    return f"{last}.{message}"


def _at(place: _Place, field: str, shape: Shape) -> Written:
    return Written(f"{place.name}{field}: {shape.name}", lambda size: place.around(shape.write(size)))


def _own_again(place: _Place, field: FieldDescriptor) -> Iterator[Shape]:
    """Return the field's current valid value, repeated."""
    there = _first(place.there, field) if field.message_type is not None else None
    if there is not None:
        own = packed(field.number, there.SerializeToString())
        yield Shape("its own value repeated", lambda size: repeat(own, size))


def _inside(place: _Place, field: FieldDescriptor) -> Callable[[bytes], bytes]:
    return lambda more: place.around(wrapped((field.number,), more))


def _in_bytes(place: _Place, field: FieldDescriptor, name: str, shown: str) -> _Place:
    """Return shapes of a message in a bytes field.

    The decoder keeps the last value, so the field is rewritten.
    """
    before = b"" if place.there is None else getattr(place.there, field.name)
    try:
        there = message_class(name).FromString(before)
    except DecodeError:  # a proof for another client type: replaced
        before, there = b"", message_class(name)()
    return _Place(
        POOL.FindMessageTypeByName(name),
        shown,
        there,
        lambda more: place.around(packed(field.number, before + more)),
    )


def _in_any(place: _Place, field: FieldDescriptor, name: str, shown: str) -> _Place:
    """Return shapes of a message in an Any: of the message there if it has this type, else of a sample."""
    url, given = f"/{name}", _first(place.there, field)
    descriptor = POOL.FindMessageTypeByName(name)
    before = given.value if given is not None and given.type_url == url else sample(descriptor)
    return _Place(
        descriptor,
        shown,
        message_class(name).FromString(before),
        lambda more: place.around(packed(field.number, packed(1, url.encode()) + packed(2, before + more))),
    )


def _first(there: Any, field: FieldDescriptor) -> Any:
    """Return the (first) message in a field, or None if there is none."""
    if there is None:
        return None
    if field.is_repeated:
        return next(iter(getattr(there, field.name)), None)
    return getattr(there, field.name) if there.HasField(field.name) else None
