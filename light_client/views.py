"""Views of a block for light clients: each key of the `ibc` store read once."""

from collections.abc import Iterator
from types import TracebackType

from ibc_core import paths
from ibc_core.height import Height
from ibc_core.host.context import Branch, KVStore, ReadContext, ReadStore, WriteContext
from ibc_core.host.events import Event
from ibc_core.host.gas import Gas


class ContextView:
    """What is the same in every view of a block; the views add the stores."""

    __slots__ = ("_base",)

    def __init__(self, base: ReadContext) -> None:
        self._base = base

    @property
    def chain_id(self) -> str:
        """The host chain's id."""
        return self._base.chain_id

    @property
    def height(self) -> Height:
        """The block's height."""
        return self._base.height

    @property
    def time_ns(self) -> int:
        """Time of the block under way, unix nanoseconds."""
        return self._base.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators."""
        return self._base.next_validators_hash

    @property
    def app_hash(self) -> bytes:
        """Hash of the state that the block builds on."""
        return self._base.app_hash

    @property
    def gas(self) -> Gas:
        """The transaction's meter."""
        return self._base.gas


Seen = dict[bytes, bytes | None]
"""What stands in the `ibc` store, as far as it was read or written; None: nothing."""


class ReadOnce(ContextView):
    """A context for verification, and the `ibc` store in it: one object, for every proof makes one."""

    __slots__ = ("_get", "_store", "seen")

    def __init__(self, base: ReadContext) -> None:
        self._base = base
        self._store = store = base.ibc
        self._get = store.get
        self.seen: Seen = {}

    @property
    def ibc(self) -> ReadStore:
        """The store `ibc`: this."""
        return self

    def reader(self, name: str) -> ReadStore:
        """Another store of the host."""
        return self if name == paths.STORE_NAME else self._base.reader(name)

    def get(self, key: bytes) -> bytes | None:
        """The value at `key` of the store `ibc`."""
        seen = self.seen
        if key in seen:
            return seen[key]
        value = seen[key] = self._get(key)
        return value

    def has(self, key: bytes) -> bool:
        """Whether `key` of the store `ibc` has a value."""
        return self.seen[key] is not None if key in self.seen else self._store.has(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries, read from the store."""
        return self._store.iterate(start, end)


class WriteOnce(ReadOnce):
    """A context for taking over what was verified; begins with what verification has read."""

    __slots__ = ("_writer",)

    def __init__(self, base: WriteContext, seen: Seen) -> None:
        """`seen`: nothing may have been written since it was read."""
        self._base = self._writer = base
        self._store = store = base.ibc
        self._get = store.get
        self.seen = seen

    @property
    def ibc(self) -> KVStore:
        """The store `ibc`: this."""
        return self

    def store(self, name: str) -> KVStore:
        """Another store of the host."""
        return self if name == paths.STORE_NAME else self._writer.store(name)

    def set(self, key: bytes, value: bytes) -> None:
        """Writes `value` at `key` of the store `ibc`."""
        self._writer.ibc.set(key, value)
        self.seen[key] = value

    def delete(self, key: bytes) -> None:
        """Removes `key` of the store `ibc`."""
        self._writer.ibc.delete(key)
        self.seen[key] = None

    def emit(self, event: Event, /) -> None:
        """Adds `event` to the transaction's events."""
        self._writer.emit(event)

    def branch(self) -> Branch:
        """A part of the block that is undone when an error leaves it: then all is read anew."""
        return _Branch(self._writer.branch(), self.seen)


class _Branch:
    """A branch that forgets what was seen when it is undone."""

    def __init__(self, base: Branch, seen: Seen) -> None:
        self._base = base
        self._seen = seen

    def __enter__(self) -> "_Branch":
        self._base.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._seen.clear()
        self._base.__exit__(kind, error, trace)

    def discard(self) -> tuple[Event, ...]:
        """Undoes the branch without an error; returns the events it had emitted."""
        self._seen.clear()
        return self._base.discard()
