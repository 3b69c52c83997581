"""An application that tampers with every object it can reach, and otherwise behaves as its honest twin.

It uses public names, attributes and containers; not closures, globals or the heap. It does not change code:
classes, functions and enum members are the chain's own program.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from pyibc.core.errors import IbcError
from pyibc.core.host.context import ReadContext, WriteContext

STORE = "tampering"

_PLAIN = (str, bytes, int, float, type(None), Enum)
_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_MUTABLE = (list, dict, set, bytearray)
_ASSIGN: Mapping[str, Callable[[Any, str], None]] = {
    "setattr": lambda found, name: setattr(found, name, b"tampered"),
    "object.__setattr__": lambda found, name: object.__setattr__(found, name, b"tampered"),
    "delattr": delattr,
    "object.__delattr__": object.__delattr__,
}


class Impostor(tuple[Any, ...]):
    """Class to assign to a record, if its class can be assigned."""

    __slots__ = ()

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = tuple.__hash__


def _as_impostor(found: Any) -> None:
    found.__class__ = Impostor


def _first_item(found: Any) -> None:
    found[0] = b"tampered"


_FORBIDDEN: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, _: ctx.ibc.set(b"nextClientSequence", b"tampered"),
    lambda ctx, _: ctx.ibc.delete(b"nextClientSequence"),
    lambda ctx, _: ctx.store("bank").set(b"tampered", b"x"),
    lambda ctx, _: ctx.store("transfer").delete(b"\x01"),
    lambda ctx, own: ctx.store(own).set(bytearray(b"key"), b"x"),  # type: ignore[arg-type]
    lambda ctx, own: ctx.store(own).set(b"key", bytearray(b"x")),  # type: ignore[arg-type]
    lambda ctx, _: ctx.gas.consume(-1_000_000),
    lambda ctx, _: ctx.emit(["tampering", []]),  # type: ignore[arg-type]
    lambda ctx, _: ctx.emit(("tampering", (("half", "\ud800"),))),
    lambda ctx, _: ctx.branch().discard(),
)
"""Operations that a context must refuse."""

_FORBIDDEN_TO_READERS: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, own: ctx.store(own).set(b"key", b"x"),
    lambda ctx, own: ctx.store(own).delete(b"calls"),
    lambda ctx, own: ctx.reader(own).set(b"key", b"x"),  # type: ignore[attr-defined]
)
"""Further operations that a query's context must refuse."""

_LATE: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, own: ctx.store(own).set(b"late", b"x"),
    lambda ctx, own: ctx.reader(own).get(b"late"),
    lambda ctx, _: ctx.emit(("late", ())),
    lambda ctx, _: ctx.branch(),
    lambda ctx, _: ctx.gas,
    lambda ctx, _: ctx.height,
)
"""Operations that a context must refuse after its call has ended."""


class Tamperer:
    """Attacks while `is_active`; records what it met, what it changed and what was not refused."""

    def __init__(self, *, is_active: bool, store: str = STORE) -> None:
        self.is_active = is_active
        self._store = store
        self.met: set[str] = set()
        self.changed: list[str] = []
        self.kept: list[WriteContext] = []

    def attack(self, ctx: WriteContext, *others: object) -> None:
        """Try everything on a context, on the callback's other arguments, and on contexts that have ended."""
        if not self.is_active:
            return
        for each in self.kept:
            for late in _LATE:
                self._refused(each, late)
        for forbidden in _FORBIDDEN:
            self._refused(ctx, forbidden)
        parts = [ctx.ibc, ctx.store(self._store), ctx.reader("bank"), ctx.gas, ctx.branch()]
        self._walk([ctx, *parts, *others])

    def attack_reading(self, ctx: ReadContext, *others: object) -> None:
        """Do the same as `attack`, on a read-only context."""
        if not self.is_active:
            return
        told: Any = ctx
        self.attack(told, *others)
        for forbidden in _FORBIDDEN_TO_READERS:
            self._refused(told, forbidden)
        self.keep(told)

    def keep(self, ctx: WriteContext) -> None:
        """Retain a context beyond its call, along with the last three."""
        self.kept = [*self.kept[-3:], ctx]

    def attack_values(self, *values: object) -> None:
        """Try everything on values only, where the context belongs to the chain's own program."""
        if self.is_active:
            self._walk(values)

    def _refused(self, ctx: WriteContext, act: Callable[[WriteContext, str], object]) -> None:
        try:
            act(ctx, self._store)
        except IbcError:
            return
        self.changed.append(f"{act.__code__.co_firstlineno} of the forbidden was let through")

    def _walk(self, roots: Iterable[object]) -> None:
        queue, seen = list(roots), {}
        while queue:
            found = queue.pop()
            if id(found) in seen or isinstance(found, (*_PLAIN, *_CODE)):
                continue
            seen[id(found)] = found  # keeps the object alive, so that its id is not reused
            self.met.add(type(found).__name__)
            self._vandalize(found)
            with suppress(TypeError):  # records do not expose their fields for iteration
                queue.extend(found)  # type: ignore[arg-type]
            for name in _public(found):
                with suppress(IbcError, AttributeError):
                    queue.append(getattr(found, name))

    def _vandalize(self, found: Any) -> None:
        if isinstance(found, _MUTABLE):
            self.changed.append(f"a {type(found).__name__} was within reach: {found!r:.80}")
            found.clear()
            return
        for name in (*_public(found), "tampering"):
            for way, assign in _ASSIGN.items():
                self._try(f"{way} {type(found).__name__}.{name}", assign, found, name)
        self._try(f"the class of a {type(found).__name__}", _as_impostor, found)
        self._try(f"an item of a {type(found).__name__}", _first_item, found)

    def _try(self, what: str, change: Callable[..., None], *arguments: Any) -> None:
        try:
            change(*arguments)
        except (AttributeError, TypeError, IbcError):
            return
        self.changed.append(what)


def _public(found: object) -> list[str]:
    return [name for name in dir(found) if not name.startswith("_")]
