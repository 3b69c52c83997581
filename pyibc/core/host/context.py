"""Interfaces between chain code and its host: the block and its stores, routes of messages, configuration.

`ReadContext` and `WriteContext` are two types of one object, so that a write in a `validate` is a type
error. The object itself is the host's; `pyibc/core/host/overlay.py` has an implementation.
"""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from pyibc.codec.budget import Budget
from pyibc.core.height import Height
from pyibc.core.host.block import Event
from pyibc.core.host.gas import DEFAULT_PRICES, Gas, Prices
from pyibc.core.value import sealed


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


@sealed
class Config(NamedTuple):
    """The host's configuration of the IBC module."""

    account_prefix: str = "cosmos"  # of addresses; must equal the host's own
    authority: str = ""  # address that may send authority messages; "": none
    max_expected_time_per_block_ns: int = 30_000_000_000
    allowed_clients: tuple[str, ...] = ("*",)
    optimistic_sends: int = 0  # packets that a channel may send before it is OPEN; 0 in ibc-go
    validate_channel_identifier: Callable[[str, str], bool] | None = None  # (port, chosen channel id)
    several_payloads: bool = False  # IBC v2: packets with more than one payload; ibc-go v11 refuses them
    strict_mempool: bool = (
        False  # its clock is the last block's, as ibc-go's is: no header or delay beyond it
    )
    prices: Prices = DEFAULT_PRICES  # gas of signatures and proofs of other chains


@sealed
class MessageRoute(NamedTuple):
    """Functions for one message type, resolved once at wiring."""

    decode: Callable[[bytes], Any]
    """Bytes -> message, including the stateless checks. Raises IbcError."""
    signers: Callable[[Any], tuple[bytes, ...]]
    """Message -> raw addresses of the required signers."""
    deliver: Callable[[WriteContext, Any], bytes]
    """Executes the message and returns the response's bytes. Raises IbcError, on which the host reverts."""
    response_type_url: str
    """Type URL of the response."""
    decode_in_tx: Callable[[bytes, Budget], Any] | None = None
    """Same as `decode`, within the rest of a transaction's budget; None if no budget counts the work."""
    is_lasting: bool = False
    """True if decoded messages are immutable and may be cached; set by the message pipeline."""
    read: Callable[[bytes, Budget], Any] | None = None
    """Same as `decode_in_tx`, without the stateless checks; None if decoding includes them."""
    check: Callable[[Any], Any] = lambda message: message
    """Result of `read`, which `signers` accepts -> the message as `decode` returns it.

    Runs the stateless checks (ValidateBasic). Raises IbcError.
    """
    wire: type[Message] | None = None
    """The message's protobuf class; None: the class of that name in this package's pool, if any."""

    def decode_within(self, raw: bytes, budget: Budget) -> Any:
        """Decode a message of a transaction, whose messages share one budget.

        Raises:
            IbcError: as `decode`.
            TxDecode: the budget is exhausted.
        """
        return self.decode(raw) if self.decode_in_tx is None else self.decode_in_tx(raw, budget)


@sealed
class CheckedMessage(NamedTuple):
    """A decoded message in CheckTx."""

    type_url: str
    message: Any


QueryRoute = Callable[[ReadContext, bytes], bytes]
"""Request bytes -> response bytes of one gRPC method; raises IbcError."""


def prefix_end(prefix: bytes) -> bytes | None:
    """Return the first key after all keys with `prefix`; None if there is no such key."""
    trimmed = prefix.rstrip(b"\xff")
    return trimmed[:-1] + bytes([trimmed[-1] + 1]) if trimmed else None


class ContextWrapper:
    """Base class of context wrappers, without stores."""

    __slots__ = ("_base",)

    def __init__(self, base: ReadContext) -> None:
        self._base = base

    @property
    def chain_id(self) -> str:
        """The host's chain id."""
        return self._base.chain_id

    @property
    def height(self) -> Height:
        """The block's height."""
        return self._base.height

    @property
    def time_ns(self) -> int:
        """Time of the current block, in Unix nanoseconds."""
        return self._base.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators."""
        return self._base.next_validators_hash

    @property
    def app_hash(self) -> bytes:
        """Hash of the state before the block."""
        return self._base.app_hash

    @property
    def gas(self) -> Gas:
        """The transaction's gas meter."""
        return self._base.gas
