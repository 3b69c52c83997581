"""An application that tries to change all that it can reach, and otherwise does what its innocent twin does.

It goes by public names, through attributes and containers; not by closures, globals or the heap, and it
changes no code: classes, functions and the members of enumerations are the chain's own program.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ibc_core.errors import IbcError
from ibc_core.host.context import ReadContext, WriteContext

STORE = "vandal"

_PLAIN = (str, bytes, int, float, type(None), Enum)
_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_MUTABLE = (list, dict, set, bytearray)
_ASSIGN: Mapping[str, Callable[[Any, str], None]] = {
    "setattr": lambda found, name: setattr(found, name, b"vandal"),
    "object.__setattr__": lambda found, name: object.__setattr__(found, name, b"vandal"),
    "delattr": delattr,
    "object.__delattr__": object.__delattr__,
}


class Impostor(tuple[Any, ...]):
    """What a record would like to be if its class could be assigned."""

    __slots__ = ()

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = tuple.__hash__


def _as_impostor(found: Any) -> None:
    found.__class__ = Impostor


def _first_item(found: Any) -> None:
    found[0] = b"vandal"


_FORBIDDEN: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, _: ctx.ibc.set(b"nextClientSequence", b"vandal"),
    lambda ctx, _: ctx.ibc.delete(b"nextClientSequence"),
    lambda ctx, _: ctx.store("bank").set(b"vandal", b"x"),
    lambda ctx, _: ctx.store("transfer").delete(b"\x01"),
    lambda ctx, own: ctx.store(own).set(bytearray(b"key"), b"x"),  # type: ignore[arg-type]
    lambda ctx, own: ctx.store(own).set(b"key", bytearray(b"x")),  # type: ignore[arg-type]
    lambda ctx, _: ctx.gas.consume(-1_000_000),
    lambda ctx, _: ctx.emit(["vandal", []]),  # type: ignore[arg-type]
    lambda ctx, _: ctx.emit(("vandal", (("half", "\ud800"),))),
    lambda ctx, _: ctx.branch().discard(),
)
"""What a context must refuse."""

_FORBIDDEN_TO_READERS: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, own: ctx.store(own).set(b"key", b"x"),
    lambda ctx, own: ctx.store(own).delete(b"calls"),
    lambda ctx, own: ctx.reader(own).set(b"key", b"x"),  # type: ignore[attr-defined]
)
"""What a query's context must refuse besides."""

_LATE: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, own: ctx.store(own).set(b"late", b"x"),
    lambda ctx, own: ctx.reader(own).get(b"late"),
    lambda ctx, _: ctx.emit(("late", ())),
    lambda ctx, _: ctx.branch(),
    lambda ctx, _: ctx.gas,
    lambda ctx, _: ctx.height,
)
"""What a context must refuse after its call."""


class Vandal:
    """Attacks while `is_active`; remembers what it met, what it could change and what was not refused."""

    def __init__(self, *, is_active: bool, store: str = STORE) -> None:
        self.is_active = is_active
        self._store = store
        self.met: set[str] = set()
        self.changed: list[str] = []
        self.kept: list[WriteContext] = []

    def attack(self, ctx: WriteContext, *others: object) -> None:
        """Tries everything on a context and what else a callback was given, and on contexts that are over."""
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
        """As `attack`, on what may write nothing at all."""
        if not self.is_active:
            return
        told: Any = ctx
        self.attack(told, *others)
        for forbidden in _FORBIDDEN_TO_READERS:
            self._refused(told, forbidden)
        self.keep(told)

    def keep(self, ctx: WriteContext) -> None:
        """Keeps a context beyond its call, with the last three."""
        self.kept = [*self.kept[-3:], ctx]

    def attack_values(self, *values: object) -> None:
        """Tries everything on values alone: where the context is the chain's program's own."""
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
            seen[id(found)] = found  # kept alive: another must not get its number
            self.met.add(type(found).__name__)
            self._vandalize(found)
            with suppress(TypeError):  # a record lets nobody go through it
                queue.extend(found)  # type: ignore[arg-type]
            for name in _public(found):
                with suppress(IbcError, AttributeError):
                    queue.append(getattr(found, name))

    def _vandalize(self, found: Any) -> None:
        if isinstance(found, _MUTABLE):
            self.changed.append(f"a {type(found).__name__} was within reach: {found!r:.80}")
            found.clear()
            return
        for name in (*_public(found), "vandal"):
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
