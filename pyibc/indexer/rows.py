"""Rows of the data source `ibc`: one per packet event, and on request blocks, event counts and problems."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from pyibc.indexer.blocks import Block
from pyibc.indexer.packets import Malformed, PacketEvent, packet_events
from pyibc.indexer.transactions.content import MAX_MEMO, MAX_NAME

BLOCK, COUNT, PROBLEM = "block", "count", "problem"  # values of `type` other than packet events


class Row(NamedTuple):
    """Row of the data source; fields that do not apply to its type are null."""

    type: str  # type of a packet event; `block`, `count` or `problem`
    chain: str | None  # null: a problem without a chain
    height: int | None
    time_ns: int | None = None
    tx_index: int | None = None  # -1: block event
    event_index: int | None = None
    tx_hash: str | None = None
    protocol: int | None = None  # 0: queues; 1: channels; 2: IBC v2 (`packet_facts.PacketFacts`)
    src_port: str | None = None
    src_channel: str | None = None
    dst_port: str | None = None
    dst_channel: str | None = None
    sequence: int | None = None
    timeout_revision: int | None = None
    timeout_height: int | None = None  # 0: none
    timeout_ns: int | None = None  # 0: none
    data_digest: int | None = None  # 64 bits of the SHA-256 of the packet's data
    ordering: str | None = None
    connection: str | None = None
    relayer: str | None = None  # signer of the transaction; null for a send
    denom: str | None = None
    amount: str | None = None  # decimal digits
    ack: str | None = None  # success, error, opaque
    detail: str | None = None  # text of an error acknowledgement; event type of a count; reason of a problem
    n: int | None = None  # number of events of a count; number of transactions of a block
    file: str | None = None  # of a problem
    sender: str | None = None  # of a transfer, like `denom` and `amount`
    receiver: str | None = None
    memo: str | None = None  # at most 1024 characters
    payloads: int | None = None  # number of payloads of a packet


_ARROW = {"string": pa.string(), "bigint": pa.int64(), "int": pa.int32(), "tinyint": pa.int8()}
DDL = (
    "type string, chain string, height bigint, time_ns bigint, tx_index int, event_index int, "
    "tx_hash string, "
    "protocol tinyint, src_port string, src_channel string, dst_port string, dst_channel string, "
    "sequence bigint, timeout_revision bigint, timeout_height bigint, timeout_ns bigint, data_digest bigint, "
    "ordering string, connection string, relayer string, denom string, amount string, ack string, "
    "detail string, n bigint, file string, "
    "sender string, receiver string, memo string, payloads int"
)

ROW_SCHEMA = pa.schema([(name, _ARROW[kind]) for name, kind in (entry.split() for entry in DDL.split(","))])
"""The columns of `DDL` as an Arrow schema."""


def rows_of(
    block: Block,
    file: str,
    *,
    everything: bool,
    events: Iterable[PacketEvent | Malformed] | None = None,
) -> Iterator[Row]:
    """Yield the rows of `block`; `everything` adds the block itself and its malformed packet events.

    `events` are the packet events of the block, if the caller has them already.
    """
    for event in packet_events(block) if events is None else events:
        if isinstance(event, PacketEvent):
            yield _packet_row(block, event)
        elif everything:
            yield _malformed_row(block, event, file)
    if everything:
        yield Row(BLOCK, block.chain_id, block.height, block.time_ns, n=len(block.txs))


def count_events(block: Block) -> Counter[str]:
    """Count the events of `block` by type, in successful transactions and in block events."""
    count = Counter(kind for kind, _ in block.block_events)
    for tx in block.txs:
        if tx.code == 0:
            count.update(kind for kind, _ in tx.events)
    return count


def count_rows(chain_id: str, height: int | None, counts: Counter[str]) -> Iterable[Row]:
    """Build rows of type `count`; `height` is the lowest counted height, if it is known."""
    return [Row(COUNT, chain_id, height, detail=kind, n=n) for kind, n in sorted(counts.items())]


def _packet_row(block: Block, event: PacketEvent) -> Row:
    f = event.facts
    return Row(
        event.type,
        block.chain_id,
        block.height,
        block.time_ns,
        event.tx_index,
        event.event_index,
        event.tx_hash or None,
        *f[:10],
        f.ordering or None,
        f.connection or None,
        event.relayer or None,
        f.transfer.denom if f.transfer else None,
        f.transfer.amount if f.transfer else None,
        f.ack.status if f.ack else None,
        f.ack.detail or None if f.ack else None,
        sender=f.transfer.sender[:MAX_NAME] or None if f.transfer else None,
        receiver=f.transfer.receiver[:MAX_NAME] or None if f.transfer else None,
        memo=f.transfer.memo[:MAX_MEMO] or None if f.transfer else None,
        payloads=f.payloads,
    )


def _malformed_row(block: Block, event: Malformed, file: str) -> Row:
    place = f"transaction {event.tx_index}" if event.tx_index >= 0 else "block events"
    reason = f"height {block.height}, {place}, event {event.event_index}: {event.reason}"
    return Row(
        PROBLEM,
        block.chain_id,
        block.height,
        tx_index=event.tx_index,
        event_index=event.event_index,
        detail=reason,
        file=block.origin or file,
    )
