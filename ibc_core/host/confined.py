"""The block under way as an application sees it, during one call.

Every application of every protocol is called with it, but for those of this distribution
(`ibc_core.host.shipped`). What it may write is its plugin's own stores and the
transaction's events. Whatever else it meets it can read, none of the block's own objects can be reached
through public names, and all of it is over when the call is: a context, a store, a branch, an iterator or a
meter that an application kept refuses.
"""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Never, TypeVar

from ibc_core import paths
from ibc_core.errors import IbcError, LogicFault
from ibc_core.height import Height
from ibc_core.host.context import Branch, KVStore, WriteContext
from ibc_core.host.events import Event
from ibc_core.host.gas import Gas
from ibc_core.value import value

_Call = Callable[[Any, Any], Any]
_P = TypeVar("_P", bound="_Part")


@value
class Grant:
    """What the applications of one plugin may do to a block; made when the chain is wired."""

    stores: frozenset[str]
    """Names of the stores that the plugin declared: they can be written."""
    refusal: Callable[[str], IbcError] = lambda what: LogicFault(f"an application tried to {what}")
    """Makes the error of what may not be; it is told what was tried."""
    reserved_events: tuple[str, ...] = ()
    """Beginnings of the types of events that the protocol alone emits."""
    routes: bool = False
    """Whether messages may be executed with the context, as by a chain's own governance."""


class _Over:
    """What stands for a block after the call."""

    __slots__ = ("_refusal",)

    def __init__(self, grant: Grant) -> None:
        self._refusal = grant.refusal

    def __getattr__(self, name: str) -> Never:
        raise self._refusal("use a context after its call")


class _Part:
    """What a context handed out; it ends with it."""

    __slots__ = ("_base", "_grant")

    def __init__(self, base: Any, grant: Grant) -> None:
        self._base = base
        self._grant = grant

    def _end(self, over: _Over) -> None:
        self._base = over


class ConfinedReader(_Part):
    """A store that can be read."""

    __slots__ = ()

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        if type(key) is not bytes:
            self._check(key)
        found: bytes | None = self._base.get(key)
        return found

    def has(self, key: bytes) -> bool:
        """Whether `key` has a value."""
        if type(key) is not bytes:
            self._check(key)
        found: bool = self._base.has(key)
        return found

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order."""
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
        """Refuses: the store is another's."""
        self._check(key)
        self._check(value)
        raise self._grant.refusal(f"write {len(value)} bytes at {key[:64].hex()} of a store of another's")

    def delete(self, key: bytes) -> None:
        """Refuses: the store is another's."""
        self._check(key)
        raise self._grant.refusal(f"delete {key[:64].hex()} of a store of another's")

    def _check(self, content: bytes) -> None:
        """Bytes that can change, or that compare as they like, would be kept with the block."""
        if type(content) is not bytes:
            raise self._grant.refusal(f"use a {type(content).__name__} as bytes")


class ConfinedStore(ConfinedReader):
    """A store of the application's own plugin."""

    __slots__ = ()

    def set(self, key: bytes, value: bytes) -> None:
        """Writes `value` at `key`."""
        if type(key) is not bytes or type(value) is not bytes:
            self._check(key)
            self._check(value)
        self._base.set(key, value)

    def delete(self, key: bytes) -> None:
        """Removes `key`."""
        self._check(key)
        self._base.delete(key)


class ConfinedGas(_Part):
    """The meter of the transaction under way: it can be charged, and that is all."""

    __slots__ = ()

    @property
    def remaining(self) -> int:
        """What may still be used."""
        left: int = self._base.remaining
        return left

    def consume(self, amount: int) -> None:
        """Charges `amount`; raises `OutOfGas` where that is more than is left."""
        # guard: h82-gas-is-given-back drop:0 test_h82_a_block_is_not_the_applications
        if type(amount) is not int or amount < 0:
            raise self._grant.refusal(f"charge a {type(amount).__name__} that is no amount of gas")
        self._base.consume(amount)


class ConfinedBranch(_Part):
    """A branch that ends when it is left, or with its context: later it undoes nothing."""

    __slots__ = ("_is_in",)

    def __init__(self, branch: Branch, grant: Grant) -> None:
        super().__init__(branch, grant)
        self._is_in = False

    def __enter__(self) -> "ConfinedBranch":
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
        """Undoes the branch; returns its events. Refuses where it was left, or never entered."""
        discard: Callable[[], tuple[Event, ...]] = self._base.discard
        if not self._is_in:
            raise self._grant.refusal("undo a branch that they are not in")
        return discard()

    def _end(self, over: _Over) -> None:
        super()._end(over)
        self._is_in = False


class ConfinedContext:
    """The block under way, for one call of an application."""

    __slots__ = ("_base", "_grant", "_parts", "_stores")

    def __init__(self, base: WriteContext, grant: Grant) -> None:
        self._base: Any = base
        self._grant = grant
        self._parts: list[_Part] = []
        self._stores: dict[str, ConfinedReader] = {}

    def _end(self, over: _Over) -> None:
        self._base = over
        self._stores.clear()
        for part in self._parts:
            # guard: h82-what-was-handed-out-lives-on test_h82_all_is_over_with_the_call
            part._end(over)  # noqa: SLF001 - of this very module

    def _handed_out(self, part: _P) -> _P:
        self._parts.append(part)
        return part

    @property
    def chain_id(self) -> str:
        """The host chain's id."""
        told: str = self._base.chain_id
        return told

    @property
    def height(self) -> Height:
        """Height of the block under way."""
        told: Height = self._base.height
        return told

    @property
    def time_ns(self) -> int:
        """Time of the block under way, unix nanoseconds."""
        told: int = self._base.time_ns
        return told

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators."""
        told: bytes = self._base.next_validators_hash
        return told

    @property
    def app_hash(self) -> bytes:
        """Hash of the state that the block builds on."""
        told: bytes = self._base.app_hash
        return told

    @property
    def gas(self) -> Gas:
        """The meter of the transaction under way."""
        return self._handed_out(ConfinedGas(self._base.gas, self._grant))

    @property
    def ibc(self) -> KVStore:
        """The `ibc` store, which refuses to be written."""
        return self.store(paths.STORE_NAME)

    def store(self, name: str) -> KVStore:
        """A store of the host; one that the plugin did not declare refuses to be written.

        Raises:
            LogicFault: the host has no such store.
        """
        found = self._stores.get(name)
        if found is None:
            base = self._base.store(name)
            # guard: h82-every-store-can-be-written always:name test_h82_a_block_is_not_the_applications
            kind = ConfinedStore if name in self._grant.stores else ConfinedReader
            found = self._stores[name] = self._handed_out(kind(base, self._grant))
        return found

    reader = store

    def emit(self, event: Event, /) -> None:
        """Adds `event` to the transaction's events.

        Refuses what is no event of exact types, and one that the protocol alone may emit.
        """
        if not _is_event(event):
            raise self._grant.refusal("emit what is no event")
        if event[0].startswith(self._grant.reserved_events):
            raise self._grant.refusal(f"emit {event[0][:64]!a}")
        self._base.emit(event)

    def branch(self) -> Branch:
        """A branch that ends with the call."""
        return self._handed_out(ConfinedBranch(self._base.branch(), self._grant))


def _is_event(event: Any) -> bool:
    """Whether it is an event of nothing but tuples and texts, which UTF-8 can write."""
    if type(event) is not tuple or len(event) != 2:
        return False
    kind, attributes = event
    if type(kind) is not str or type(attributes) is not tuple or not _is_text(kind):
        return False
    for attribute in attributes:  # a received packet comes by here twenty times
        if type(attribute) is not tuple or len(attribute) != 2:
            return False
        key, value = attribute
        if type(key) is not str or type(value) is not str:
            return False
        if not (key.isascii() and value.isascii()) and not _is_text(key + value):
            return False
    return True


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return True


def opened(ctx: Any) -> Any:
    """The block's own context below a confined one: for what the module does on an application's behalf.

    Any other context is returned as it is. Raises the refusal of a context whose call is over.
    """
    if type(ctx) is not ConfinedContext:
        return ctx
    base = ctx._base  # noqa: SLF001 - of this very module
    if type(base) is _Over:
        base.use()
    return base


def for_route(ctx: Any) -> Any:
    """What a message is executed with: the block's own context where the caller's may execute messages."""
    # guard: h84-a-callback-executes-messages drop:routes test_h84_a_callback_and_a_query_execute_no_message
    return opened(ctx) if type(ctx) is ConfinedContext and ctx._grant.routes else ctx  # noqa: SLF001


def confined(call: _Call, grant: Grant) -> _Call:
    """A callback that is called with a context of its own, whatever context it is given."""
    over = _Over(grant)

    def within(ctx: Any, told: Any) -> Any:
        own = ConfinedContext(opened(ctx), grant)
        try:
            return call(own, told)
        finally:
            # guard: h82-a-call-that-fails-does-not-end test_h82_it_is_over_however_the_call_ends
            own._end(over)  # noqa: SLF001 - of this very module

    return within


class ConfinedCall:
    """`with ConfinedCall(ctx, grant) as own:` is a call of what is no callback."""

    __slots__ = ("_grant", "_own")

    def __init__(self, ctx: WriteContext, grant: Grant) -> None:
        self._grant = grant
        self._own = ConfinedContext(opened(ctx), grant)

    def __enter__(self) -> ConfinedContext:
        return self._own

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._own._end(_Over(self._grant))  # noqa: SLF001 - of this very module
