"""A block as an outsider knows it: what export and recordings have in common."""

from typing import NamedTuple

from ibc_core.comet_json.fields import write_hex
from ibc_core.host.block import CommittedBlock, TxOutcome, tx_hash
from ibc_core.host.events import Event
from ibc_indexer.transactions.content import TxContent

UNKNOWN_CHAIN = "unknown"  # recordings that name no chain


class Ack(NamedTuple):
    """An acknowledgement as a relayer's message carried it."""

    src_port: str
    src_channel: str
    sequence: int
    acknowledgement: bytes


class Tx(NamedTuple):
    """One transaction and its result."""

    hash: str  # upper-case hex of the SHA-256 of the bytes; "" where the recording does not tell
    code: int  # 0: success
    events: tuple[Event, ...]
    gas_wanted: int = 0
    gas_used: int = 0
    codespace: str = ""
    log: str = ""
    data: bytes = b""
    raw: bytes = b""  # the transaction; b"" where only its result is known
    acks: tuple[Ack, ...] = ()  # from a transaction recorded as JSON; `raw` gives them otherwise
    signer: str = ""  # likewise
    content: TxContent | None = None  # likewise


class Block(NamedTuple):
    """One block of one chain, as far as it is known."""

    chain_id: str
    height: int
    time_ns: int | None  # unix nanoseconds; None where no header was recorded
    txs: tuple[Tx, ...]
    block_events: tuple[Event, ...] = ()
    app_hash: bytes = b""
    origin: str = ""  # the file it was read from; "" in exports
    partial: bool = False  # single transactions are known, the block is not
    incarnation: str = ""  # which chain of this id it is (`lines.incarnation_of`); "": not known


def tx_hash_text(raw: bytes) -> str:
    """The hash by which nodes name a transaction: upper-case hex of its SHA-256."""
    return write_hex(tx_hash(raw))


def from_committed(block: CommittedBlock) -> Block:
    """The block a host has just committed."""
    txs = tuple(
        Tx(tx_hash_text(t.tx), t.code, t.events, t.gas_wanted, t.gas_used, t.codespace, t.log, t.data, t.tx)
        for t in block.txs
    )
    return Block(block.chain_id, block.height, block.time_ns, txs, block.block_events, block.app_hash)


def to_committed(block: Block) -> CommittedBlock:
    """The block that `from_committed` made `block` of, without the hashes of headers."""
    txs = tuple(
        TxOutcome(t.raw, t.code, t.codespace, t.events, t.gas_wanted, t.gas_used, t.data, t.log)
        for t in block.txs
    )
    return CommittedBlock(
        block.chain_id, block.height, block.time_ns or 0, block.app_hash, txs, block.block_events
    )
