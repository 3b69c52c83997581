"""Rows of decoded blocks: one row per block, with its packet events and everything else as arrays of structs.

    spark.read.format("ibc").option("rows", "blocks")

One pass over a line gives all rows that are made from it. The pipeline explodes the arrays into its silver
tables. A block that is known in part has one row per transaction. Single transactions of one block come from
several recordings, in any order. With a record for each of them, they add up, and of two records of one
transaction the better one is kept.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from pyibc.indexer.blocks.block import MAX_MEMO, MAX_NAME, Block, Tx, tx_hash_text
from pyibc.indexer.blocks.lines import content_digest
from pyibc.indexer.bronze.contents import SCHEMAS as CONTENT_SCHEMAS
from pyibc.indexer.bronze.contents import content_rows
from pyibc.indexer.bronze.ranges import Bounds, FileRange, Record, records_in
from pyibc.indexer.bronze.rows import SCHEMAS as CHAIN_SCHEMAS
from pyibc.indexer.bronze.rows import chain_rows, problem_of
from pyibc.indexer.bronze.tables import Step, is_table, rows_in
from pyibc.indexer.events.acks import AckResult
from pyibc.indexer.events.ics20 import Transfer
from pyibc.indexer.events.packet_facts import KINDS, RECEIVING, V1, Path, ids_of, number_of
from pyibc.indexer.events.packets import PacketEvent, packet_events
from pyibc.indexer.sql import arrow_schema, columns_of

_KINDS = {kind: number for number, kind in enumerate(KINDS)}
_NO_TRANSFER, _NO_ACK = Transfer("", ""), AckResult("")
BATCH_ROWS = 8192  # of a record batch, those in arrays included

_BLOCK = pa.schema(
    {
        "chain": pa.string(),  # null: a line that cannot be read
        "incarnation": pa.string(),  # null: not known
        "height": pa.int64(),
        "time_ns": pa.int64(),
        "digest": pa.string(),  # of codes and events, and of the time
        "rank": pa.string(),  # order among records of one block or transaction: the lowest is kept
        "app_hash": pa.string(),
        "partial": pa.bool_(),  # a recording of single transactions
        "tx": pa.string(),  # the transaction that is known of a block; "": the block, or its own events
        "tx_number": pa.int32(),  # place of the transaction among the known ones of its line
        "transaction_count": pa.int64(),
        "file": pa.string(),
        "byte_offset": pa.int64(),
    }
)
TABLE_STEP = "/"
"""Beginning of `tx` of the steps in packet tables: `/channel-0/7/send_packet`. No hash begins so."""
EVENT = pa.struct(
    list(
        arrow_schema(
            columns_of(
                "type string, tx_index int, event_index int, tx_hash string, protocol tinyint, "
                "src_port string, src_channel string, dst_port string, dst_channel string, sequence bigint, "
                "timeout_revision bigint, timeout_height bigint, timeout_ns bigint, data_digest bigint, "
                "ordering string, connection string, relayer string, denom string, amount string, "
                "ack string, detail string, sender string, receiver string, memo string, payloads int, "
                "kind tinyint, path_id bigint, end_id bigint, receiving boolean"
            )
        )
    )
)
"""Columns of a packet event; those that do not apply are null.

The transaction -1 stands for the block. Timeouts are 0 if there are none. `data_digest` has 64 bits of the
SHA-256 of the packet's data, `relayer` is the signer of the transaction, null for a send, `ack` is success,
error or opaque, and `detail` the text of an error. `kind` is the number of the type, in the order of a
packet's life, `path_id` the hash of protocol, ports and channels, and `end_id` that of path, chain and
its side.
"""
EVENTS = pa.schema(
    [*(_BLOCK.field(name) for name in ("chain", "incarnation", "height", "time_ns", "tx")), *EVENT]
)
"""Columns of packet events, one per row: those of `silver/packet_events`, without the batch."""

CONTENTS = {name: pa.struct(list(schema)) for name, schema in (CHAIN_SCHEMAS | CONTENT_SCHEMAS).items()}
"""Structs in the arrays of a block, except packet events, by the name of the array."""
_STRUCTS = {"events": EVENT, **CONTENTS, "problems": pa.string()}
SCHEMA = pa.schema([*_BLOCK, *((name, pa.list_(of)) for name, of in _STRUCTS.items())])
"""Columns of a block."""


class Part(NamedTuple):
    """Record of a block, or of what is known of it."""

    tx: str  # the transaction; "": the whole block, or its own events
    number: int  # of the transaction among those of its line, from 0
    digest: str  # of results, 16 hexadecimal digits
    block: Block


def parts_of(block: Block, digest: str) -> Iterator[Part]:
    """Yield the records of a block whose results have a digest."""
    if not block.partial:
        yield Part("", 0, digest, block)
        return
    if block.block_events or not block.txs:
        own = block._replace(txs=())
        yield Part("", 0, content_digest(own), own)
    unnamed = Counter[str]()
    for number, tx in enumerate(block.txs):
        single = block._replace(txs=(tx,), block_events=())
        found = content_digest(single)
        key = tx.hash or (tx_hash_text(tx.raw) if tx.raw else "")
        if not key:  # a result without its transaction: equal ones of a block are different transactions
            unnamed[found] += 1
            key = f"?{found}-{unnamed[found]}"
        yield Part(key, number, found, single)


def rank_of(part: Part, digest: str, checksum: str) -> str:
    """Return the order of a record among those of the same block or transaction: the lowest is kept.

    A record that knows more comes before one that knows less, the time first: that of a chain's first block
    must not depend on what arrived before. Content decides between others: the digest of results and time,
    then the checksum of the line, or of the transaction where a line has several.
    """
    block = part.block
    missing = (not block.app_hash) + sum(map(_missing, block.txs))
    if block.partial:
        content = msgspec.json.encode((block.app_hash, block.txs))
        checksum = blake2b(content, digest_size=8).hexdigest()
    return f"{int(block.time_ns is None)}{missing:08x}{digest}{checksum}"


def _missing(tx: Tx) -> int:
    """Return how many of the facts that recordings may lack are not known of a transaction."""
    if tx.raw:
        return 0 if tx.hash else 1
    return 1 + (not tx.hash) + (not tx.signer) + (tx.content is None)


def batches_of(parts: Iterable[FileRange], bounds: Bounds) -> Iterator[pa.RecordBatch]:
    """Yield the blocks of byte ranges as record batches; a line that cannot be read is a row with a problem.

    Only blocks within `bounds` are decoded.
    """
    batch = _Batch()
    for part in parts:
        for found in _found_in(part, bounds):
            batch.take(part.url, found)
            if batch.weight >= BATCH_ROWS:
                yield batch.taken()
                batch = _Batch()
    if batch.weight:
        yield batch.taken()


Tell = Callable[[str, Record], None]


def event_batches(
    parts: Iterable[FileRange], bounds: Bounds, tell: Tell = lambda _url, _problem: None
) -> Iterator[pa.RecordBatch]:
    """Yield the packet events of byte ranges as record batches of at most `BATCH_ROWS` rows.

    Only blocks within `bounds` are decoded. `tell` is called with what cannot be read: a file and a record
    with the problem.
    """
    rows = (row for part in parts for row in _events_in(part, bounds, tell))
    while batch := list(islice(rows, BATCH_ROWS)):
        yield pa.RecordBatch.from_arrays(_columns(batch, EVENTS), schema=EVENTS)


def _found_in(part: FileRange, bounds: Bounds) -> Iterator[Record | tuple[Step, int]]:
    return rows_in(part, bounds) if is_table(part.url) else records_in(part, bounds)


def _events_in(part: FileRange, bounds: Bounds, tell: Tell) -> Iterator[tuple[Any, ...]]:
    """Yield the packet events of a byte range as rows of `EVENTS`."""
    for found in _found_in(part, bounds):
        if not isinstance(found, Record):
            step, _ = found
            yield (step.chain, None, step.height, step.time_ns, _step(step), *_step_event(step))
        elif found.head is None or found.block is None:
            tell(part.url, found)
        else:
            head = found.head
            for one in parts_of(found.block, head.digest):
                place = (head.chain_id, head.incarnation or None, head.height, one.block.time_ns, one.tx)
                events, problems = _events_of(one.block)
                for event in events:
                    yield (*place, *_event(str(head.chain), event))
                for problem in problems:
                    tell(one.block.origin or part.url, found._replace(problem=problem))


def _events_of(block: Block) -> tuple[list[PacketEvent], list[str]]:
    """Return the packet events of a block, and the problems with malformed ones."""
    events, problems = list[PacketEvent](), list[str]()
    for event in packet_events(block):
        if isinstance(event, PacketEvent):
            events.append(event)
        else:
            problems.append(problem_of(block, event.tx_index, f"event {event.event_index}: {event.reason}"))
    return events, problems


class _Batch:
    """Record batch in progress."""

    def __init__(self) -> None:
        self.weight = 0  # rows of the batch, those in arrays included
        self._blocks: list[tuple[Any, ...]] = []
        self._items: dict[str, list[Any]] = {name: [] for name in _STRUCTS}
        self._offsets: dict[str, list[int]] = {name: [0] for name in _STRUCTS}

    def take(self, url: str, record: Record | tuple[Step, int]) -> None:
        """Add a block, an event of a packet table or a problem of the file `url`."""
        if not isinstance(record, Record):
            self._take_step(url, *record)
            return
        head, block = record.head, record.block
        known = (head.chain_id, head.incarnation or None, head.height) if head else (None, None, None)
        if head is None or block is None:
            nothing = (None,) * (len(_BLOCK) - len(known) - 2)
            self._blocks.append((*known, *nothing, url, record.offset))
            self._close({"problems": [record.problem]})
            return
        for part in parts_of(block, head.digest):
            digest = f"{part.digest}{block.time_ns or 0:016x}"
            rank, app_hash = rank_of(part, digest, record.checksum), block.app_hash.hex() or None
            content = (head.partial, part.tx, part.number, len(part.block.txs))
            self._blocks.append((*known, block.time_ns, digest, rank, app_hash, *content, url, record.offset))
            self._close(_arrays(part.block._replace(chain_id=str(head.chain))))

    def _take_step(self, url: str, step: Step, place: int) -> None:
        """Add a step in the row `place` of a packet table, beside the blocks of its height."""
        digest = f"{step.time_ns or 0:016x}"
        rank = f"{int(step.time_ns is None)}{digest}"
        known = (step.chain, None, step.height, step.time_ns, digest, rank, None)
        self._blocks.append((*known, False, _step(step), 0, 0, url, place))
        self._close({"events": [_step_event(step)]})

    def _close(self, found: dict[str, list[Any]]) -> None:
        """End a block whose arrays have the items `found`."""
        self.weight += 1
        for name, items in self._items.items():
            new = found.get(name, ())
            items.extend(new)
            self._offsets[name].append(len(items))
            self.weight += len(new)

    def taken(self) -> pa.RecordBatch:
        """Return the record batch."""
        arrays = _columns(self._blocks, _BLOCK)
        for name, of in _STRUCTS.items():
            offsets, items = pa.array(self._offsets[name], pa.int32()), self._items[name]
            if pa.types.is_struct(of):
                values = pa.StructArray.from_arrays(_columns(items, of), fields=list(of))
            else:
                values = pa.array(items, of)
            arrays.append(pa.ListArray.from_arrays(offsets, values))
        return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _arrays(block: Block) -> dict[str, list[Any]]:
    events, problems = _events_of(block)
    beside = chain_rows(block)
    return {
        "events": [_event(block.chain_id, event) for event in events],
        **beside.rows,
        **content_rows(block, events),
        "problems": [*problems, *beside.problems],
    }


def _columns(rows: list[Any], fields: Iterable[pa.Field]) -> list[pa.Array]:
    columns = zip(*rows, strict=True) if rows else ([] for _ in fields)
    return [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)]


def _step(step: Step) -> str:
    """Return the value of `tx` for a step in a packet table."""
    return f"{TABLE_STEP}{step.channel}/{step.sequence}/{step.type}"


def _step_event(step: Step) -> tuple[Any, ...]:
    """Return the values of a step in a packet table as `EVENT`."""
    path, end = ids_of(step.chain, False, (V1, None, step.channel, None, None))
    known = {"type": step.type, "protocol": V1, "src_channel": step.channel, "sequence": step.sequence}
    known |= {"kind": _KINDS[step.type], "path_id": path, "end_id": end, "receiving": False}
    return tuple(map(known.get, EVENT.names))


def _event(chain: str, event: PacketEvent) -> tuple[Any, ...]:
    """Return the values of a packet event as `EVENT`; `chain` is the text of its chain's `ChainKey`."""
    f, receiving = event.facts, event.type in RECEIVING
    transfer, ack = f.transfer or _NO_TRANSFER, f.ack or _NO_ACK
    return (
        event.type,
        event.tx_index,
        event.event_index,
        event.tx_hash or None,
        *f[:10],
        f.ordering or None,
        f.connection or None,
        event.relayer or None,
        transfer.denom or None,
        transfer.amount or None,
        ack.status or None,
        ack.detail or None,
        transfer.sender[:MAX_NAME] or None,
        transfer.receiver[:MAX_NAME] or None,
        transfer.memo[:MAX_MEMO] or None,
        f.payloads,
        _KINDS[event.type],
        *ids_of(chain, receiving, f[:5]),
        receiving,
    )


def path_id(path: Path) -> int:
    """Return the hash of protocol, ports and channels, 64 bits."""
    return number_of(*path)
