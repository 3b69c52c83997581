"""The current block as an application sees it during one call.

Applications of all protocols are called with a `ScopedContext`, except builtin ones
(`pyibc.isolation.isolate`). They can write the stores of their plugin and emit events, and can read
everything else. The block's own objects cannot be reached through public names. All objects become invalid
when the call ends: a context, store, branch, iterator or gas meter that an application kept raises an error.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Never, TypeVar

from pyibc.core import paths
from pyibc.core.errors import IbcError, LogicFault
from pyibc.core.host.block import Event
from pyibc.core.host.context import Branch, ContextWrapper, KVStore, WriteContext
from pyibc.core.host.gas import Gas
from pyibc.core.value import value
from pyibc.isolation.limits import event_size

_Call = Callable[[Any, Any], Any]
_P = TypeVar("_P", bound="_Part")


@value
class Grant:
    """Permissions of a plugin's applications, determined when the chain is wired."""

    stores: frozenset[str]
    """Names of the stores that can be written: those that the plugin declares."""
    refusal: Callable[[str], IbcError] = lambda what: LogicFault(f"an application tried to {what}")
    """Returns the error for a forbidden action, given its description."""
    reserved_events: tuple[str, ...] = ()
    """Prefixes of event types that only the protocol emits."""
    routes: bool = False
    """True if messages may be executed with the context, as by a governance module."""


class _Over:
    """Placeholder for the block after the call: every use raises the grant's error."""

    __slots__ = ("_refusal",)

    def __init__(self, grant: Grant) -> None:
        self._refusal = grant.refusal

    def __getattr__(self, name: str) -> Never:
        raise self._refusal("use a context after its call")


class _Part:
    """Object that a scoped context gives to the application; it becomes invalid with the context."""

    __slots__ = ("_base", "_grant")

    def __init__(self, base: Any, grant: Grant) -> None:
        self._base = base
        self._grant = grant

    def _end(self, over: _Over) -> None:
        self._base = over


class ScopedReader(_Part):
    """Store of another plugin, which can only be read."""

    __slots__ = ()

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""
        if type(key) is not bytes:
            self._check(key)
        found: bytes | None = self._base.get(key)
        return found

    def has(self, key: bytes) -> bool:
        """Return whether `key` has a value."""
        if type(key) is not bytes:
            self._check(key)
        found: bool = self._base.has(key)
        return found

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over the entries with `start <= key < end` in key order; None: to the last key."""
        self._check(start)
        if end is not None:
            self._check(end)
        return self._steps(self._base.iterate(start, end))

    def _steps(self, entries: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        base = self._base
        for entry in entries:
            yield entry
            if self._base is not base:
                raise self._grant.refusal("use an iterator after its call")

    def set(self, key: bytes, value: bytes) -> None:
        """Raise the grant's error: the store belongs to another plugin."""
        self._check(key)
        self._check(value)
        raise self._grant.refusal(f"write {len(value)} bytes at {key[:64].hex()} of another plugin's store")

    def delete(self, key: bytes) -> None:
        """Raise the grant's error: the store belongs to another plugin."""
        self._check(key)
        raise self._grant.refusal(f"delete {key[:64].hex()} of another plugin's store")

    def _check(self, content: bytes) -> None:
        """Refuse a bytearray, a memoryview or another type: the block keeps what it gets until the commit."""
        if type(content) is not bytes:
            raise self._grant.refusal(f"use a {type(content).__name__} as bytes")


class ScopedStore(ScopedReader):
    """Store of the application's own plugin."""

    __slots__ = ()

    def set(self, key: bytes, value: bytes) -> None:
        """Write `value` at `key`."""
        if type(key) is not bytes or type(value) is not bytes:
            self._check(key)
            self._check(value)
        self._base.set(key, value)

    def delete(self, key: bytes) -> None:
        """Remove `key`."""
        self._check(key)
        self._base.delete(key)


class ScopedGas(_Part):
    """Gas meter of the current transaction, which can be charged and read."""

    __slots__ = ()

    @property
    def remaining(self) -> int:
        """Remaining gas."""
        left: int = self._base.remaining
        return left

    def consume(self, amount: int) -> None:
        """Charge `amount`. Raises OutOfGas if it exceeds the remaining gas."""
        # guard: h82-gas-is-given-back drop:0 test_h82_a_block_is_not_the_applications
        if type(amount) is not int or amount < 0:
            raise self._grant.refusal(f"charge a {type(amount).__name__} that is not an amount of gas")
        self._base.consume(amount)


class ScopedBranch(_Part):
    """Branch that ends when it is left, or with its context; later it reverts nothing."""

    __slots__ = ("_is_in",)

    def __init__(self, branch: Branch, grant: Grant) -> None:
        super().__init__(branch, grant)
        self._is_in = False

    def __enter__(self) -> "ScopedBranch":
        self._base.__enter__()
        self._is_in = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_in:
            self._is_in = False
            self._base.__exit__(kind, error, trace)

    def discard(self) -> tuple[Event, ...]:
        """Revert the branch and return its events. Raises the grant's error outside of the `with` block."""
        discard: Callable[[], tuple[Event, ...]] = self._base.discard
        if not self._is_in:
            raise self._grant.refusal("revert a branch outside of its `with` block")
        return discard()

    def _end(self, over: _Over) -> None:
        super()._end(over)
        self._is_in = False


class ScopedContext(ContextWrapper):
    """Context of the current block for one call of an application."""

    __slots__ = ("_grant", "_parts", "_stores")

    _base: WriteContext

    def __init__(self, base: WriteContext, grant: Grant) -> None:
        super().__init__(base)
        self._grant = grant
        self._parts: list[_Part] = []
        self._stores: dict[str, ScopedReader] = {}

    def _end(self, over: _Over) -> None:
        self._base = over
        self._stores.clear()
        for part in self._parts:
            # guard: h82-what-was-handed-out-lives-on test_h82_all_is_over_with_the_call
            part._end(over)  # noqa: SLF001 - of this module

    def _handed_out(self, part: _P) -> _P:
        self._parts.append(part)
        return part

    @property
    def gas(self) -> Gas:
        """Gas meter of the current transaction."""
        return self._handed_out(ScopedGas(self._base.gas, self._grant))

    @property
    def ibc(self) -> KVStore:
        """The `ibc` store, read-only."""
        return self.store(paths.STORE_NAME)

    def store(self, name: str) -> KVStore:
        """Return a store of the host, read-only unless the plugin declares it.

        Raises:
            LogicFault: the host has no such store.
        """
        found = self._stores.get(name)
        if found is None:
            base = self._base.store(name)
            # guard: h82-every-store-can-be-written always:name test_h82_a_block_is_not_the_applications
            kind = ScopedStore if name in self._grant.stores else ScopedReader
            found = self._stores[name] = self._handed_out(kind(base, self._grant))
        return found

    reader = store

    def emit(self, event: Event, /) -> None:
        """Add `event` to the events of the transaction.

        Raises:
            InvalidEvent: it has a wrong type, or a text that is not valid Unicode.
            LogicFault: only the protocol may emit it. The queue protocol has an error of its own.
        """
        event_size(event)
        if event[0].startswith(self._grant.reserved_events):
            raise self._grant.refusal(f"emit {event[0][:64]!a}")
        self._base.emit(event)

    def branch(self) -> Branch:
        """Return a new branch of the block; it ends with the call at the latest."""
        return self._handed_out(ScopedBranch(self._base.branch(), self._grant))


def opened(ctx: Any) -> Any:
    """Return the block's own context behind a scoped one, for services of the host and the module.

    Any other context is returned unchanged. Raises the error of the context's grant if its call is over.
    """
    if type(ctx) is not ScopedContext:
        return ctx
    base = ctx._base  # noqa: SLF001 - of this module
    if type(base) is _Over:
        base.use()
    return base


def for_route(ctx: Any) -> Any:
    """Return the context to execute a message with: the block's own if the caller may execute messages."""
    # guard: h84-a-callback-executes-messages drop:routes test_h84_a_callback_and_a_query_execute_no_message
    return opened(ctx) if type(ctx) is ScopedContext and ctx._grant.routes else ctx  # noqa: SLF001


@contextmanager
def scoped_call(ctx: WriteContext, grant: Grant) -> Iterator[ScopedContext]:
    """Context manager with a scoped context for a call that is no callback."""
    own = ScopedContext(opened(ctx), grant)
    try:
        yield own
    finally:
        # guard: h82-a-call-that-fails-does-not-end test_h82_it_is_over_however_the_call_ends
        own._end(_Over(grant))  # noqa: SLF001 - of this module


def confined(call: _Call, grant: Grant) -> _Call:
    """Return a callback that is called with a scoped context, whatever context it is given."""

    def within(ctx: Any, given: Any) -> Any:
        with scoped_call(ctx, grant) as own:
            return call(own, given)

    return within
