"""Committed blocks as reported by the host, the input of exporters and relayers."""

from collections.abc import Container, Iterable
from hashlib import sha256
from typing import NamedTuple

from pyibc.core.value import sealed

# -- events as tuples of text, the form for relayers and indexers
#
# An event is `(type, ((key, value), ...))`. Tuples are used for speed: a received packet emits fourteen
# events.

Attribute = tuple[str, str]
Event = tuple[str, tuple[Attribute, ...]]
"""Type and attributes of an event, as in a transaction's result."""


def besides(events: Iterable[Event], kinds: Container[str]) -> tuple[Event, ...]:
    """Return the events of types not in `kinds`, in order."""
    return tuple([event for event in events if event[0] not in kinds])


# -- blocks


@sealed
class TxOutcome(NamedTuple):
    """A transaction of a block and its result."""

    tx: bytes  # as in the block
    code: int  # 0: success
    codespace: str  # "" on success
    events: tuple[Event, ...]
    gas_wanted: int
    gas_used: int
    data: bytes = b""  # the message responses; hashed into the next header
    log: str = ""  # for humans; neither hashed nor stored in state


@sealed
class CommittedBlock(NamedTuple):
    """A committed block and its results."""

    chain_id: str
    height: int
    time_ns: int  # unix nanoseconds, from the header
    app_hash: bytes  # state after this block; in the next block's header
    txs: tuple[TxOutcome, ...]
    block_events: tuple[Event, ...]  # of the begin and end of the block
    hash: bytes = b""  # of its header; empty if the host does not report it
    parent: bytes = b""  # hash of the previous header; also empty for a chain's first block


def tx_hash(tx: bytes) -> bytes:
    """Return the hash of a transaction: the SHA-256 of its bytes (CometBFT types/tx.go)."""
    return sha256(tx).digest()
