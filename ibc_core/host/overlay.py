"""A block under way, shipped for hosts: overlays over committed stores, one undo list, events, gas.

A branch is a mark in the undo list: entering one costs nothing, leaving it with an error puts back what
was there. A transaction runs in a branch of its own and ends with `take_events`; at the end of the block
the host takes `writes` of each store and gives them, in key order, to its tree.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from types import EllipsisType, TracebackType
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
from ibc_core.host.written_keys import Walk, WrittenKeys


class CommittedStore(Protocol):
    """The interface of a host's storage: the state of one store after the last block."""

    def get(self, key: bytes) -> bytes | None:
        """The committed value at `key`."""

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Committed entries with `start <= key < end` in key order."""


_Before = bytes | EllipsisType | None  # None: deleted; ...: not written before
_Undo = tuple[int, bytes, _Before]  # the store's place: with no object in it that the collector would follow


class OverlayStore:
    """A committed store with the writes of the block under way on top; charges store gas."""

    __slots__ = ("_base", "_gas", "_iterate_base", "_keys", "_place", "_undo", "_walks", "_writes")

    def __init__(self, base: CommittedStore, place: int, undo: list[_Undo], gas: GasMeter) -> None:
        """`place`: among the stores of its block, for the undo list."""
        self._base = base.get
        self._place = place
        self._iterate_base = base.iterate
        self._undo = undo
        self._gas = gas
        self._writes: dict[bytes, bytes | None] = {}  # None: deleted
        self._keys = WrittenKeys(self._writes)
        self._walks = self._keys.walks

    def get(self, key: bytes) -> bytes | None:
        """What was written, else committed."""
        writes = self._writes
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
        writes = self._writes
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
        if self._walks:
            self._keys.settle_walks()
        writes = self._writes
        self._undo.append((self._place, key, writes.get(key, ...)))
        writes[key] = value

    def delete(self, key: bytes) -> None:
        """Removes `key`.

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
            self._keys.settle_walks()
        writes = self._writes
        self._undo.append((self._place, key, writes.get(key, ...)))
        writes[key] = None

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order, as of the call: later writes do not show.

        Entries are read as they are asked for, the first of them by the call itself, and each is paid for
        when it is read, as by the SDK's gaskv. A deletion that is passed over costs as well: otherwise a
        stranger could delete much and have it walked over for nothing.
        """
        if type(start) is not bytes or not (end is None or type(end) is bytes):
            raise LogicFault("a range of keys is two bytes")
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
        """Undoes one write, the last that is not undone yet. Costs nothing."""
        if self._walks:
            self._keys.settle_walks()
        if isinstance(before, EllipsisType):
            del self._writes[key]
            self._keys.drop(key)
        else:
            self._writes[key] = before

    def adopt(self, other: "OverlayStore") -> None:
        """Takes over the writes of another overlay on the same state, into one that has none."""
        self._writes.update(other._writes)  # noqa: SLF001 - another of this class; in no order

    def written(self) -> list[tuple[bytes, bytes | None]]:
        """The block's writes in key order, one a key; None deletes."""
        return sorted(self._writes.items())


def _noted(entries: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Entries of the storage; that it could not be read is remembered."""
    try:
        yield from entries
    except GeneratorExit:  # nobody wants the rest
        raise
    except BaseException:
        remember()
        raise


def _failed(key: object) -> None:
    """Remembers that the storage could not be read; with what is no key, the asker is at fault."""
    # guard: d39-a-swallowed-disk-is-forgotten test_d39_a_store_that_failed_is_remembered
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
        undo, stores = self._context.undo, self._context.in_order
        while len(undo) > self._mark:
            place, key, before = undo.pop()
            stores[place].put_back(key, before)
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
        self.in_order = [
            OverlayStore(base, place, self.undo, self.gas) for place, base in enumerate(committed.values())
        ]
        self._stores = dict(zip(committed, self.in_order, strict=True))
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
        return self._stores[name].written()
