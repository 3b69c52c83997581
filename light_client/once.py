"""A block's `ibc` store of which no entry is read twice, for the length of one message to a client.

Whether a client is Active, whether it believes a header and what the header changes are three questions to
the same two or three entries. Entries that are written meanwhile are read where they stand.
"""

from collections.abc import Iterator

from ibc_core import paths
from ibc_core.host.context import Branch, KVStore, ReadContext, ReadStore, WriteContext
from ibc_core.host.events import Event
from light_client.view import ContextView

Seen = dict[bytes, bytes | None]
"""What was read of the `ibc` store; None: nothing stands there."""


class OnceReader:
    """A store that remembers what was read of it."""

    __slots__ = ("_seen", "_store")

    def __init__(self, store: ReadStore, seen: Seen) -> None:
        self._store = store
        self._seen = seen

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        seen = self._seen
        if key in seen:
            return seen[key]
        value = seen[key] = self._store.get(key)
        return value

    def has(self, key: bytes) -> bool:
        """Whether `key` has a value."""
        return self._seen[key] is not None if key in self._seen else self._store.has(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order."""
        return self._store.iterate(start, end)


class OnceStore(OnceReader):
    """The same for a store that is written to; what was written is never remembered."""

    __slots__ = ("_writer", "_written")

    def __init__(self, store: KVStore, seen: Seen) -> None:
        super().__init__(store, seen)
        self._writer = store
        self._written: set[bytes] = set()

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self._store.get(key) if key in self._written else super().get(key)

    def set(self, key: bytes, value: bytes) -> None:
        """Writes `value` at `key`."""
        self._forget(key)
        self._writer.set(key, value)

    def delete(self, key: bytes) -> None:
        """Removes `key`."""
        self._forget(key)
        self._writer.delete(key)

    def _forget(self, key: bytes) -> None:
        self._seen.pop(key, None)
        self._written.add(key)


class ReadOnce(ContextView):
    """A context for verification whose `ibc` store is read once an entry."""

    __slots__ = ("ibc", "seen")

    def __init__(self, base: ReadContext) -> None:
        super().__init__(base)
        self.seen: Seen = {}
        self.ibc: ReadStore = OnceReader(base.ibc, self.seen)

    def reader(self, name: str) -> ReadStore:
        """Another store of the host."""
        return self.ibc if name == paths.STORE_NAME else self._base.reader(name)


class WriteOnce(ContextView):
    """A context for taking over what was verified; begins with what verification has read."""

    __slots__ = ("_writer", "ibc")

    def __init__(self, base: WriteContext, seen: Seen) -> None:
        """`seen`: nothing may have been written since it was read."""
        super().__init__(base)
        self._writer = base
        self.ibc: KVStore = OnceStore(base.ibc, seen)

    def reader(self, name: str) -> ReadStore:
        """Another store of the host."""
        return self.store(name)

    def store(self, name: str) -> KVStore:
        """Another store of the host."""
        return self.ibc if name == paths.STORE_NAME else self._writer.store(name)

    def emit(self, event: Event, /) -> None:
        """Adds `event` to the transaction's events."""
        self._writer.emit(event)

    def branch(self) -> Branch:
        """A part of the block that is undone when an error leaves it."""
        return self._writer.branch()
