"""Interfaces to the current block and its stores for chain code.

`ReadContext` and `WriteContext` are two types of one object, so that a write in a `validate` is a type
error. The object itself is the host's; `pyibc/core/host/overlay.py` has an implementation.
"""

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol

from pyibc.core.height import Height
from pyibc.core.host.block import Event
from pyibc.core.host.gas import Gas


class ReadStore(Protocol):
    """A store of the host, read-only. Keys and values are bytes; keys are not empty."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`; None if there is none."""

    def has(self, key: bytes) -> bool:
        """Return whether `key` has a value."""

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over the entries with `start <= key < end` in key order; without `end`, to the last key."""


class KVStore(ReadStore, Protocol):
    """A store of the host in the current block."""

    def set(self, key: bytes, value: bytes) -> None:
        """Write `value` at `key`; writing the same value again counts as a write."""

    def delete(self, key: bytes) -> None:
        """Delete `key`; an absent key is no error."""


class ReadContext(Protocol):
    """The current block, for code that only reads."""

    @property
    def chain_id(self) -> str:
        """The host's chain id."""

    @property
    def height(self) -> Height:
        """Height of the current block."""

    @property
    def time_ns(self) -> int:
        """Time in the header of the current block, in Unix nanoseconds."""

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators, from the header of the current block; 32 bytes."""

    @property
    def app_hash(self) -> bytes:
        """Hash of the state before the block, from its header (CometBFT's `app_hash`).

        In a query, it is the hash of the committed state that is read. The length depends on the host: 32
        bytes on CometBFT.
        """

    @property
    def ibc(self) -> ReadStore:
        """The `ibc` store, whose entries counterparties verify."""

    @property
    def gas(self) -> Gas:
        """The gas meter of the current transaction."""

    def reader(self, name: str) -> ReadStore:
        """Return another store of the host."""


class Branch(Protocol):
    """A part of a block that is reverted if it raises an error."""

    def __enter__(self) -> "Branch": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def discard(self) -> tuple[Event, ...]:
        """Revert the branch without an error, and return the events that it had emitted."""


class WriteContext(ReadContext, Protocol):
    """The current block, for code that changes state."""

    @property
    def ibc(self) -> KVStore:
        """The `ibc` store, whose entries counterparties verify."""

    def store(self, name: str) -> KVStore:
        """Return another store of the host."""

    def emit(self, event: Event, /) -> None:
        """Add `event` to the events of the transaction, or of the block outside a transaction."""

    def branch(self) -> Branch:
        """Return a context manager that reverts writes and events if its block raises an error."""
