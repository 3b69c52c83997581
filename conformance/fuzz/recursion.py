"""Nested messages: shapes of fields through which a type contains itself."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from conformance.fuzz.scalars import Shape
from conformance.fuzz.types import ANY, held
from conformance.fuzz.wire import LENGTH, nest, packed, repeat, tag

_MESSAGES, _ANYS = 90, 9
"""Nesting limits of the decoders: upb accepts 100 messages, the SDK 10 Anys."""


def nested(field: FieldDescriptor, below: Descriptor) -> Iterator[Shape]:
    """Return shapes of a field that holds a message `below`: of maximum depth, and of accepted depth."""
    owner: Any = field.containing_type
    if below.full_name == ANY:
        front = packed(1, f"/{ANY}".encode()) + tag(2, LENGTH)
        yield from _levels("Anys", [tag(field.number, LENGTH)], [front], _ANYS)
        if owner.full_name in held(field):
            url = packed(1, f"/{owner.full_name}".encode())
            yield from _levels("itself in Anys", [], [tag(field.number, LENGTH), url + tag(2, LENGTH)], _ANYS)
        return
    back = _way_back(below, owner, ())
    if back is not None:
        fronts = [tag(number, LENGTH) for number in (field.number, *back)]
        yield from _levels("itself", [], fronts, _MESSAGES // len(fronts))


def _levels(name: str, outer: list[bytes], fronts: list[bytes], most: int) -> Iterator[Shape]:
    yield Shape(f"{name} inside {name}", lambda size: _closed(outer, nest(fronts, size)))
    small = packed(1000, b"")

    def filled(size: int) -> bytes:
        return _closed(outer, nest(fronts, 0, repeat(small, size), most))

    yield Shape(f"{most} times {name}, then full", filled)
    yield Shape(f"{most} times {name}, then long", lambda size: _closed(
        outer, nest(fronts, 0, packed(1, b"a" * size), most)
    ))  # fmt: skip


def _closed(outer: list[bytes], content: bytes) -> bytes:
    return nest(outer, 0, content, 1) if outer else content


def _way_back(start: Descriptor, goal: Descriptor, seen: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return the shortest path of fields from one type to another, or None if there is none."""
    if start.full_name == goal.full_name:
        return ()
    found: tuple[int, ...] | None = None
    for field in start.fields:
        below = field.message_type
        if below is None or below.full_name in seen or below.full_name == ANY:
            continue
        rest = _way_back(below, goal, (*seen, start.full_name))
        if rest is not None and (found is None or len(rest) + 1 < len(found)):
            found = (field.number, *rest)
    return found
