"""A committed block as the host reports it: the input of exporters and relayers."""

from hashlib import sha256
from typing import NamedTuple

from ibc_core.host.events import Event
from ibc_core.value import sealed


@sealed
class TxOutcome(NamedTuple):
    """One transaction of a block and its result."""

    tx: bytes  # as it stood in the block
    code: int  # 0: success
    codespace: str  # "" on success
    events: tuple[Event, ...]
    gas_wanted: int
    gas_used: int
    data: bytes = b""  # the message responses; hashed into the next header
    log: str = ""  # for people: never hashed, never stored in state


@sealed
class CommittedBlock(NamedTuple):
    """A block after its commit."""

    chain_id: str
    height: int
    time_ns: int  # unix nanoseconds, from the header
    app_hash: bytes  # state after this block; in the next block's header
    txs: tuple[TxOutcome, ...]
    block_events: tuple[Event, ...]  # of the begin and end of the block
    hash: bytes = b""  # of its header; empty where the host does not tell
    parent: bytes = b""  # hash of the header before it; empty also of a chain's first block


def tx_hash(tx: bytes) -> bytes:
    """What a transaction is found by: the SHA-256 of its bytes (CometBFT types/tx.go)."""
    return sha256(tx).digest()
