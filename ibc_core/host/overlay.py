"""A block under way, shipped for hosts: overlays over committed stores, one undo list, events, gas.

A branch is a mark in the undo list: entering one costs nothing, leaving it with an error puts back what
was there. A transaction runs in a branch of its own and ends with `take_events`; at the end of the block
the host takes `writes` of each store and gives them, in key order, to its tree.
"""

from collections.abc import Iterator, Mapping
from heapq import merge
from types import TracebackType
from typing import Protocol

from ibc_core.errors import LogicFault, OutOfGas
from ibc_core.height import Height, revision_of
from ibc_core.host.events import Event
from ibc_core.host.gas import (
    DELETE_COST,
    HAS_COST,
    ITER_NEXT_COST,
    READ_BYTE,
    READ_FLAT,
    WRITE_BYTE,
    WRITE_FLAT,
    GasMeter,
)
from ibc_core.host.machine import remember


class CommittedStore(Protocol):
    """The interface of a host's storage: the state of one store after the last block."""

    def get(self, key: bytes) -> bytes | None:
        """The committed value at `key`."""

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Committed entries with `start <= key < end` in key order."""


class _Unset:
    """Marks an overlay key that had no entry before."""


_UNSET = _Unset()
_Writes = dict[bytes, bytes | None]  # None: deleted
_Undo = tuple[_Writes, bytes, bytes | _Unset | None]


class OverlayStore:
    """A committed store with the writes of the block under way on top; charges store gas."""

    __slots__ = ("_base", "_gas", "_iterate_base", "_undo", "writes")

    def __init__(self, base: CommittedStore, undo: list[_Undo], gas: GasMeter) -> None:
        self._base = base.get
        self._iterate_base = base.iterate
        self._undo = undo
        self._gas = gas
        self.writes: _Writes = {}

    def get(self, key: bytes) -> bytes | None:
        """What was written, else committed."""
        writes = self.writes
        try:
            value = writes[key] if key in writes else self._base(key)
        except BaseException:
            _failed(key)
            raise
        # The meter's two lines stand here, not in a call: this is the hottest line of a block.
        gas = self._gas
        gas.used += READ_FLAT + READ_BYTE * (len(key) if value is None else len(key) + len(value))
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        return value

    def has(self, key: bytes) -> bool:
        """Whether `key` has a value."""
        gas = self._gas
        gas.used += HAS_COST
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        writes = self.writes
        try:
            return (writes[key] if key in writes else self._base(key)) is not None
        except BaseException:
            _failed(key)
            raise

    def set(self, key: bytes, value: bytes) -> None:
        """Writes `value` at `key`.

        Raises:
            LogicFault: `key` is empty, which the tree refuses, or one of the two is not `bytes`. Empty values
                are allowed.
        """
        if type(key) is not bytes or not key or type(value) is not bytes:
            raise _unstorable(key, value)
        gas = self._gas
        gas.used += WRITE_FLAT + WRITE_BYTE * (len(key) + len(value))
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        writes = self.writes
        self._undo.append((writes, key, writes.get(key, _UNSET)))
        writes[key] = value

    def delete(self, key: bytes) -> None:
        """Removes `key`.

        Raises:
            LogicFault: `key` is empty or not `bytes`.
        """
        if type(key) is not bytes or not key:
            raise _unstorable(key, b"")
        self._gas.consume(DELETE_COST)
        writes = self.writes
        self._undo.append((writes, key, writes.get(key, _UNSET)))
        writes[key] = None

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order, as of the call: later writes do not show.

        The committed entries are read as they are asked for, so the first of many costs one.
        """
        if type(start) is not bytes or not (end is None or type(end) is bytes):
            raise LogicFault("a range of keys is two bytes")
        own = [
            entry for entry in self.writes.items() if start <= entry[0] and (end is None or entry[0] < end)
        ]
        return self._merged(self._iterate_base(start, end), sorted(own))

    def _merged(
        self, base: Iterator[tuple[bytes, bytes]], own: list[tuple[bytes, bytes | None]]
    ) -> Iterator[tuple[bytes, bytes]]:
        hidden = {key for key, _ in own}
        kept = ((key, value) for key, value in base if key not in hidden)
        written = ((key, value) for key, value in own if value is not None)
        try:
            for key, value in merge(kept, written):
                self._gas.consume(ITER_NEXT_COST + READ_BYTE * (len(key) + len(value)))
                yield key, value
        except GeneratorExit:  # nobody wants the rest
            raise
        except BaseException:
            _failed(b"")
            raise


def _failed(key: object) -> None:
    """Remembers that the storage could not be read; with what is no key, the asker is at fault."""
    if type(key) is bytes:
        remember()


def _unstorable(key: object, value: object) -> LogicFault:
    if type(key) is not bytes or type(value) is not bytes:
        return LogicFault(f"a {type(key).__name__} and a {type(value).__name__} cannot be stored: bytes are")
    return LogicFault("an empty key cannot be stored")


class UndoBranch:
    """A part of a block that is undone when an error leaves it."""

    __slots__ = ("_context", "_events", "_mark")

    def __init__(self, context: "BlockContext") -> None:
        self._context = context
        self._mark = len(context.undo)
        self._events = len(context.events)

    def __enter__(self) -> "UndoBranch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.discard()

    def discard(self) -> tuple[Event, ...]:
        """Undoes to the mark; returns its events."""
        undo = self._context.undo
        while len(undo) > self._mark:
            writes, key, before = undo.pop()
            if isinstance(before, _Unset):
                del writes[key]
            else:
                writes[key] = before
        events = tuple(self._context.events[self._events :])
        del self._context.events[self._events :]
        return events


class BlockContext:
    """One block under way over the committed stores of a host."""

    __slots__ = (
        "_stores",
        "app_hash",
        "chain_id",
        "emit",
        "events",
        "gas",
        "height",
        "ibc",
        "next_validators_hash",
        "time_ns",
        "undo",
    )

    def __init__(
        self,
        chain_id: str,
        height: int,
        time_ns: int,
        committed: Mapping[str, CommittedStore],
        next_validators_hash: bytes = b"",
        app_hash: bytes = b"",
    ) -> None:
        """`app_hash`: of `committed`, as the block's header has it."""
        self.chain_id = chain_id
        self.height = Height(revision_of(chain_id), height)
        self.time_ns = time_ns
        self.next_validators_hash = next_validators_hash
        self.app_hash = app_hash
        self.gas = GasMeter()
        self.undo: list[_Undo] = []
        self.events: list[Event] = []
        self.emit = self.events.append  # a received packet emits thirteen: no call of our own around it
        self._stores = {name: OverlayStore(base, self.undo, self.gas) for name, base in committed.items()}
        self.ibc = self._stores["ibc"]

    def store(self, name: str) -> OverlayStore:
        """The store called `name`.

        Raises:
            LogicFault: the host has no such store.
        """
        try:
            return self._stores[name]
        except KeyError:
            raise LogicFault(f"the host has no store {name!a}") from None

    reader = store

    def branch(self) -> UndoBranch:
        """A mark in the undo list."""
        return UndoBranch(self)

    def take_events(self) -> tuple[Event, ...]:
        """The events since the last call; ends a transaction's part of the undo list as well."""
        events = tuple(self.events)
        self.events.clear()
        self.undo.clear()
        return events

    def writes(self, name: str) -> list[tuple[bytes, bytes | None]]:
        """The block's writes to the store `name` in key order, one a key; None deletes."""
        return sorted(self._stores[name].writes.items())
