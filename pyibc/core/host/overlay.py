"""The current block of a host: overlays over committed stores, an undo log, events and gas.

A branch is a mark in the undo log: entering one costs nothing, and leaving it with an error restores the
former values. A transaction runs in its own branch and ends with `take_events`. At the end of the block,
the host applies the `writes` of each store, in key order, to its tree.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from types import EllipsisType, TracebackType
from typing import Protocol

from pyibc.core.errors import LogicFault, OutOfGas
from pyibc.core.height import Height, revision_of
from pyibc.core.host.block import Event
from pyibc.core.host.gas import (
    DELETE_COST,
    HAS_COST,
    ITER_NEXT_COST,
    READ_BYTE,
    READ_FLAT,
    WRITE_BYTE,
    WRITE_FLAT,
    GasMeter,
)
from pyibc.core.host.written_keys import Walk, WrittenKeys
from pyibc.isolation.call_state import remember


class CommittedStore(Protocol):
    """Interface to a host's storage: the committed state of one store."""

    def get(self, key: bytes) -> bytes | None:
        """Return the committed value at `key`."""

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over the committed entries with `start <= key < end` in key order."""


_Before = bytes | EllipsisType | None  # None: deleted; ...: not written before
_Undo = tuple[int, bytes, _Before]  # the store's index: the collector does not track such tuples


class OverlayStore:
    """A committed store with the writes of the current block on top; charges gas."""

    __slots__ = ("_base", "_gas", "_iterate_base", "_keys", "_place", "_undo", "_walks", "_writes")

    def __init__(self, base: CommittedStore, place: int, undo: list[_Undo], gas: GasMeter) -> None:
        """Create an overlay; `place` is the store's index in its block, for the undo log."""
        self._base = base.get
        self._place = place
        self._iterate_base = base.iterate
        self._undo = undo
        self._gas = gas
        self._writes: dict[bytes, bytes | None] = {}  # None: deleted
        self._keys = WrittenKeys(self._writes)
        self._walks = self._keys.walks

    def get(self, key: bytes) -> bytes | None:
        """Return the written value, or else the committed one; None if there is none."""
        writes = self._writes
        try:
            value = writes[key] if key in writes else self._base(key)
        except BaseException:
            _failed(key)
            raise
        # Charged inline instead of by a call: this is the hottest code of a block.
        gas = self._gas
        gas.used += READ_FLAT + READ_BYTE * (len(key) if value is None else len(key) + len(value))
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        return value

    def has(self, key: bytes) -> bool:
        """Return whether `key` has a value."""
        gas = self._gas
        gas.used += HAS_COST
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        writes = self._writes
        try:
            return (writes[key] if key in writes else self._base(key)) is not None
        except BaseException:
            _failed(key)
            raise

    def set(self, key: bytes, value: bytes) -> None:
        """Write `value` at `key`.

        Raises:
            LogicFault: `key` is empty, or key or value is not `bytes`. Empty values are allowed.
        """
        if type(key) is not bytes or not key or type(value) is not bytes:
            raise _unstorable(key, value)
        gas = self._gas
        gas.used += WRITE_FLAT + WRITE_BYTE * (len(key) + len(value))
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        if self._walks:
            self._keys.complete_walks()
        writes = self._writes
        self._undo.append((self._place, key, writes.get(key, ...)))
        writes[key] = value

    def delete(self, key: bytes) -> None:
        """Delete `key`.

        Raises:
            LogicFault: `key` is empty or not `bytes`.
        """
        if type(key) is not bytes or not key:
            raise _unstorable(key, b"")
        gas = self._gas
        gas.used += DELETE_COST
        if gas.used > gas.limit:
            raise OutOfGas(gas.limit, gas.used)
        if self._walks:
            self._keys.complete_walks()
        writes = self._writes
        self._undo.append((self._place, key, writes.get(key, ...)))
        writes[key] = None

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over the entries with `start <= key < end` in key order, without later writes.

        Entries are read lazily, except for the first, and charged when they are read, as by the SDK's
        gaskv. Skipped deletions are charged as well: otherwise a user could delete many entries and have
        them skipped for free.
        """
        if type(start) is not bytes or not (end is None or type(end) is bytes):
            raise LogicFault("the bounds of a range must be bytes")
        entries = self._merged(self._iterate_base(start, end), self._keys.walk(start, end))
        first = next(entries, None)
        return iter(()) if first is None else chain((first,), entries)

    def _merged(self, base: Iterator[tuple[bytes, bytes]], own: Walk) -> Iterator[tuple[bytes, bytes]]:
        consume, base = self._gas.consume, _noted(base)
        theirs, ours = next(base, None), next(own, None)
        while theirs is not None or ours is not None:
            if theirs is not None and (ours is None or theirs[0] < ours[0]):
                consume(ITER_NEXT_COST + READ_BYTE * (len(theirs[0]) + len(theirs[1])))
                yield theirs
                theirs = next(base, None)
            elif ours is not None:
                key, value = ours
                # guard: h71-deletions-are-passed-over-for-nothing {ITER_NEXT_COST + READ_BYTE * (len(key) +
                #   len(value or b'')) => ITER_NEXT_COST + READ_BYTE * len(key + value) if value else 0}
                #   test_h71_a_deletion_that_is_passed_over_costs_as_an_entry_does
                consume(ITER_NEXT_COST + READ_BYTE * (len(key) + len(value or b"")))
                if theirs is not None and theirs[0] == key:
                    theirs = next(base, None)
                if value is not None:
                    yield key, value
                ours = next(own, None)
        consume(ITER_NEXT_COST)

    def put_back(self, key: bytes, before: _Before) -> None:
        """Revert one write, the last one not reverted yet, without charging gas."""
        if self._walks:
            self._keys.complete_walks()
        if isinstance(before, EllipsisType):
            del self._writes[key]
            self._keys.drop(key)
        else:
            self._writes[key] = before

    def adopt(self, other: "OverlayStore") -> None:
        """Copy the writes of another overlay of the same state; this one must have none."""
        self._writes.update(other._writes)  # noqa: SLF001 - of the same class; unordered

    def written(self) -> list[tuple[bytes, bytes | None]]:
        """Return the block's writes in key order, one per key; None deletes."""
        return sorted(self._writes.items())


def _noted(entries: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Iterate over entries of the storage, recording a failure to read."""
    try:
        yield from entries
    except GeneratorExit:  # the iteration was not exhausted
        raise
    except BaseException:
        remember()
        raise


def _failed(key: object) -> None:
    """Record a failure of the storage, unless the caller passed an invalid key."""
    # guard: d39-a-swallowed-disk-is-forgotten test_d39_a_store_that_failed_is_remembered
    if type(key) is bytes:
        remember()


def _unstorable(key: object, value: object) -> LogicFault:
    if type(key) is not bytes or type(value) is not bytes:
        return LogicFault(f"a {type(key).__name__} and a {type(value).__name__} cannot be stored: bytes are")
    return LogicFault("an empty key cannot be stored")


class UndoBranch:
    """A part of a block that is reverted if it raises an error."""

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
        """Revert to the mark, and return the discarded events."""
        undo, stores = self._context.undo, self._context.in_order
        while len(undo) > self._mark:
            place, key, before = undo.pop()
            stores[place].put_back(key, before)
        events = tuple(self._context.events[self._events :])
        del self._context.events[self._events :]
        return events


class BlockContext:
    """The current block over the committed stores of a host."""

    __slots__ = (
        "_stores",
        "app_hash",
        "chain_id",
        "emit",
        "events",
        "gas",
        "height",
        "ibc",
        "in_order",
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
        """Create a block; `app_hash` is the hash of `committed`, from the block's header."""
        self.chain_id = chain_id
        self.height = Height(revision_of(chain_id), height)
        self.time_ns = time_ns
        self.next_validators_hash = next_validators_hash
        self.app_hash = app_hash
        self.gas = GasMeter()
        self.undo: list[_Undo] = []
        self.events: list[Event] = []
        self.emit = self.events.append  # without a wrapper: a received packet emits thirteen events
        self.in_order = [
            OverlayStore(base, place, self.undo, self.gas) for place, base in enumerate(committed.values())
        ]
        self._stores = dict(zip(committed, self.in_order, strict=True))
        self.ibc = self._stores["ibc"]

    def store(self, name: str) -> OverlayStore:
        """Return the store `name`.

        Raises:
            LogicFault: the host has no store of that name.
        """
        try:
            return self._stores[name]
        except KeyError:
            raise LogicFault(f"the host has no store {name!a}") from None

    reader = store

    def branch(self) -> UndoBranch:
        """Return a branch that reverts to the current mark of the undo log."""
        return UndoBranch(self)

    def take_events(self) -> tuple[Event, ...]:
        """Return the events since the last call, and clear the undo log."""
        events = tuple(self.events)
        self.events.clear()
        self.undo.clear()
        return events

    def writes(self, name: str) -> list[tuple[bytes, bytes | None]]:
        """Return the block's writes to the store `name` in key order, one per key; None deletes."""
        return self._stores[name].written()
