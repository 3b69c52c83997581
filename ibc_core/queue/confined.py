"""A context for queue applications: everything but the stores that other chains prove against.

Only the protocol writes the queues' subspace [IBC-channels 3.3]. An application gets this context instead of
the block's: `ibc` and `queue` are read-only, events with the protocol's prefix are refused, and the context
ends with the call it was made for, as do its branches, so that an application cannot undo what the protocol
writes afterwards.
"""

from collections.abc import Iterator
from types import TracebackType

from ibc_core import paths
from ibc_core.errors.queue import ProtectedStore
from ibc_core.height import Height
from ibc_core.host.context import Branch, KVStore, ReadStore, WriteContext
from ibc_core.host.events import Event
from ibc_core.host.gas import GasMeter
from ibc_core.queue import types as queue
from ibc_core.queue.events import PREFIX

PROTECTED = frozenset({paths.STORE_NAME, queue.STORE_NAME})


class ReadOnlyStore:
    """A store that refuses writes."""

    __slots__ = ("__base", "__name")

    def __init__(self, name: str, base: ReadStore) -> None:
        self.__name = name
        self.__base = base

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self.__base.get(key)

    def has(self, key: bytes) -> bool:
        """Whether `key` has a value."""
        return self.__base.has(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order."""
        return self.__base.iterate(start, end)

    def set(self, key: bytes, value: bytes) -> None:
        """Refuses.

        Raises:
            ProtectedStore: always.
        """
        raise ProtectedStore(f"write {len(value)} bytes at {key[:64].hex()} of the store {self.__name!a}")

    def delete(self, key: bytes) -> None:
        """Refuses.

        Raises:
            ProtectedStore: always.
        """
        raise ProtectedStore(f"delete {key[:64].hex()} of the store {self.__name!a}")


class ConfinedBranch:
    """A branch that ends when it is left, or with its context: later it undoes nothing."""

    __slots__ = ("__branch", "__context", "__open")

    def __init__(self, context: "ConfinedContext", branch: Branch) -> None:
        self.__context = context
        self.__branch = branch
        self.__open = False

    def __enter__(self) -> "ConfinedBranch":
        self.__context.require_open()
        self.__branch.__enter__()
        self.__open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.__open and self.__context.is_open:
            self.__open = False
            self.__branch.__exit__(kind, error, trace)

    def discard(self) -> tuple[Event, ...]:
        """Undoes the branch; returns its events.

        Raises:
            ProtectedStore: it was left, never entered, or its call is over.
        """
        self.__context.require_open()
        if not self.__open:
            raise ProtectedStore("undo a branch that they are not in")
        return self.__branch.discard()


class ConfinedContext:
    """The block under way, as an application sees it during one call."""

    __slots__ = ("__base", "__open")

    def __init__(self, base: WriteContext) -> None:
        self.__base = base
        self.__open = True

    def __enter__(self) -> "ConfinedContext":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__open = False

    @property
    def is_open(self) -> bool:
        """Whether the call is under way."""
        return self.__open

    def require_open(self) -> None:
        """Checks that the call is not over.

        Raises:
            ProtectedStore: it is.
        """
        if not self.__open:
            raise ProtectedStore("use a context after its call")

    @property
    def chain_id(self) -> str:
        """The host chain's id."""
        return self.__base.chain_id

    @property
    def height(self) -> Height:
        """Height of the block under way."""
        return self.__base.height

    @property
    def time_ns(self) -> int:
        """Time of the block under way, unix nanoseconds."""
        return self.__base.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators."""
        return self.__base.next_validators_hash

    @property
    def app_hash(self) -> bytes:
        """Hash of the state that the block builds on."""
        return self.__base.app_hash

    @property
    def gas(self) -> GasMeter:
        """The meter of the transaction under way."""
        return self.__base.gas

    @property
    def ibc(self) -> KVStore:
        """The `ibc` store, read-only."""
        return self.store(paths.STORE_NAME)

    def reader(self, name: str) -> ReadStore:
        """Another store of the host; it cannot be written through this."""
        return ReadOnlyStore(name, self.__base.reader(name))

    def store(self, name: str) -> KVStore:
        """Another store of the host; `ibc` and `queue` are read-only.

        Raises:
            ProtectedStore: the call is over.
        """
        self.require_open()
        if name in PROTECTED:
            return ReadOnlyStore(name, self.__base.reader(name))
        return self.__base.store(name)

    def emit(self, event: Event, /) -> None:
        """Adds `event` to the transaction's events.

        Raises:
            ProtectedStore: it is one of the protocol's own, or the call is over.
        """
        self.require_open()
        if event[0].startswith(PREFIX):
            raise ProtectedStore(f"emit {event[0][:64]!a}")
        self.__base.emit(event)

    def branch(self) -> Branch:
        """A branch that ends with the call."""
        self.require_open()
        return ConfinedBranch(self, self.__base.branch())

    @staticmethod
    def opened(ctx: WriteContext) -> WriteContext:
        """The context below a confined one: for the protocol itself, when an application sends through it.

        Raises:
            ProtectedStore: the application's call is over.
        """
        if not isinstance(ctx, ConfinedContext):
            return ctx
        ctx.require_open()
        return ctx.__base  # noqa: SLF001 - of this very class
