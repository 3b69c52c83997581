"""Contexts for light clients that cache the `ibc` store, so that each key is read and charged once."""

from collections.abc import Iterator
from types import TracebackType

from pyibc.core import paths
from pyibc.core.host.block import Event
from pyibc.core.host.context import Branch, ContextWrapper, KVStore, ReadContext, ReadStore, WriteContext

StoreEntries = dict[bytes, bytes | None]
"""Cached entries of the `ibc` store, read or written; None: absent."""


class CachedReadContext(ContextWrapper):
    """A read context with a cache, which is also its `ibc` store: one object per proof is faster."""

    __slots__ = ("_get", "_store", "entries")

    def __init__(self, base: ReadContext) -> None:
        self._base = base
        self._store = store = base.ibc
        self._get = store.get
        self.entries: StoreEntries = {}

    @property
    def ibc(self) -> ReadStore:
        """The `ibc` store: this object."""
        return self

    def reader(self, name: str) -> ReadStore:
        """Return another store of the host."""
        return self if name == paths.STORE_NAME else self._base.reader(name)

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key` of the store `ibc`."""
        entries = self.entries
        if key in entries:
            return entries[key]
        value = entries[key] = self._get(key)
        return value

    def has(self, key: bytes) -> bool:
        """Return whether `key` of the store `ibc` has a value."""
        return self.entries[key] is not None if key in self.entries else self._store.has(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over entries, read from the store."""
        return self._store.iterate(start, end)


class CachedWriteContext(CachedReadContext):
    """A write context that starts with the cache of the verification."""

    __slots__ = ("_writer",)

    def __init__(self, base: WriteContext, entries: StoreEntries) -> None:
        """Create a context; nothing may have been written since `entries` were filled."""
        self._base = self._writer = base
        self._store = store = base.ibc
        self._get = store.get
        self.entries = entries

    @property
    def ibc(self) -> KVStore:
        """The `ibc` store: this object."""
        return self

    def store(self, name: str) -> KVStore:
        """Return another store of the host."""
        return self if name == paths.STORE_NAME else self._writer.store(name)

    def set(self, key: bytes, value: bytes) -> None:
        """Write `value` at `key` of the store `ibc`."""
        self._writer.ibc.set(key, value)
        self.entries[key] = value

    def delete(self, key: bytes) -> None:
        """Delete `key` of the store `ibc`."""
        self._writer.ibc.delete(key)
        self.entries[key] = None

    def emit(self, event: Event, /) -> None:
        """Add `event` to the transaction's events."""
        self._writer.emit(event)

    def branch(self) -> Branch:
        """Return a branch; if it is reverted, the cache is cleared."""
        return _Branch(self._writer.branch(), self.entries)


class _Branch:
    """A branch that clears the cache when it is reverted."""

    def __init__(self, base: Branch, entries: StoreEntries) -> None:
        self._base = base
        self._entries = entries

    def __enter__(self) -> "_Branch":
        self._base.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._entries.clear()
        self._base.__exit__(kind, error, trace)

    def discard(self) -> tuple[Event, ...]:
        """Revert the branch without an error, and return the events that it had emitted."""
        self._entries.clear()
        return self._base.discard()
