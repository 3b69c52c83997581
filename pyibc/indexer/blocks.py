"""Block model that exports and recordings share."""

from typing import NamedTuple

from pyibc.codec.comet_json import write_hex
from pyibc.core.host.block import CommittedBlock, Event, TxOutcome, tx_hash
from pyibc.indexer.transactions.content import TxContent

UNKNOWN_CHAIN = "unknown"  # chain id of recordings without one


def is_unknown(chain: str) -> bool:
    """Return whether `chain` is a placeholder for recordings without a header, possibly of several chains."""
    return chain == UNKNOWN_CHAIN or chain.startswith(f"{UNKNOWN_CHAIN}-")


class Ack(NamedTuple):
    """Acknowledgement in a relayer's `MsgAcknowledgement`."""

    src_port: str
    src_channel: str
    sequence: int
    acknowledgement: bytes


class Tx(NamedTuple):
    """Transaction and its result."""

    hash: str  # upper-case hex of the SHA-256 of the bytes; "" if the recording does not have it
    code: int  # 0: success
    events: tuple[Event, ...]
    gas_wanted: int = 0
    gas_used: int = 0
    codespace: str = ""
    log: str = ""
    data: bytes = b""
    raw: bytes = b""  # encoded transaction; b"" if only its result is known
    acks: tuple[Ack, ...] = ()  # set for a transaction recorded as JSON; otherwise decoded from `raw`
    signer: str = ""  # likewise
    content: TxContent | None = None  # likewise


class Block(NamedTuple):
    """Block of a chain, complete or partial."""

    chain_id: str
    height: int
    time_ns: int | None  # unix nanoseconds; None if no header was recorded
    txs: tuple[Tx, ...]
    block_events: tuple[Event, ...] = ()
    app_hash: bytes = b""
    origin: str = ""  # file the block was read from; "" in exports
    partial: bool = False  # only single transactions of the block are known
    incarnation: str = ""  # digest of the chain's first block (`lines.incarnation_of`); "": not known


def tx_hash_text(raw: bytes) -> str:
    """Return the hash of a transaction as nodes print it: upper-case hex of its SHA-256."""
    return write_hex(tx_hash(raw))


def from_committed(block: CommittedBlock) -> Block:
    """Convert a block that the host has committed."""
    txs = tuple(
        Tx(tx_hash_text(t.tx), t.code, t.events, t.gas_wanted, t.gas_used, t.codespace, t.log, t.data, t.tx)
        for t in block.txs
    )
    return Block(block.chain_id, block.height, block.time_ns, txs, block.block_events, block.app_hash)


def to_committed(block: Block) -> CommittedBlock:
    """Reverse `from_committed`; header hashes are not restored."""
    txs = tuple(
        TxOutcome(t.raw, t.code, t.codespace, t.events, t.gas_wanted, t.gas_used, t.data, t.log)
        for t in block.txs
    )
    return CommittedBlock(
        block.chain_id, block.height, block.time_ns or 0, block.app_hash, txs, block.block_events
    )
