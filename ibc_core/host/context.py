"""The chain code's view of the block that it executes in.

`ReadContext` and `WriteContext` are two views of one object, so that a write in a `validate` is a type
error. The object itself is the host's; `ibc_core/host/overlay.py` ships one.
"""

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol

from ibc_core.height import Height
from ibc_core.host.events import Event
from ibc_core.host.gas import Gas


class ReadStore(Protocol):
    """One named store of the host, read-only. Keys and values are bytes; no key is empty."""

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`, None if there is none."""

    def has(self, key: bytes) -> bool:
        """Whether `key` has a value."""

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end` in key order; no end: to the last key."""


class KVStore(ReadStore, Protocol):
    """One named store of the host, in the block under way."""

    def set(self, key: bytes, value: bytes) -> None:
        """Writes `value` at `key`; a rewrite of the same value is a write."""

    def delete(self, key: bytes) -> None:
        """Removes `key`; an absent key is no error."""


class ReadContext(Protocol):
    """The block under way, for code that only checks."""

    @property
    def chain_id(self) -> str:
        """The host chain's id."""

    @property
    def height(self) -> Height:
        """Height of the block under way."""

    @property
    def time_ns(self) -> int:
        """Time in the header of the block under way, unix nanoseconds."""

    @property
    def next_validators_hash(self) -> bytes:
        """From the header of the block under way: hash of the validators of the next one; 32 bytes."""

    @property
    def app_hash(self) -> bytes:
        """Hash of the state that the block builds on, as its header has it (CometBFT's `app_hash`).

        That is the state after the block before; where a committed state is only read, the hash of that
        state. Its length is the host's: 32 bytes on CometBFT.
        """

    @property
    def ibc(self) -> ReadStore:
        """The `ibc` store, which counterparties prove against."""

    @property
    def gas(self) -> Gas:
        """The meter of the transaction under way."""

    def reader(self, name: str) -> ReadStore:
        """Another store of the host."""


class Branch(Protocol):
    """A part of a block that is undone when an error leaves it."""

    def __enter__(self) -> "Branch": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def discard(self) -> tuple[Event, ...]:
        """Undoes the branch without an error; returns the events it had emitted."""


class WriteContext(ReadContext, Protocol):
    """The block under way, for code that changes state."""

    @property
    def ibc(self) -> KVStore:
        """The `ibc` store, which counterparties prove against."""

    def store(self, name: str) -> KVStore:
        """Another store of the host."""

    def emit(self, event: Event, /) -> None:
        """Adds `event` to the transaction's (outside one: the block's) events."""

    def branch(self) -> Branch:
        """`with ctx.branch():` undoes writes and events when an error leaves it."""
