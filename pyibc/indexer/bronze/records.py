"""Rows of decoded blocks: one row per block, with its packet events and everything else as arrays of structs.

    spark.read.format("ibc").option("rows", "blocks")

One pass over a line gives all rows that are made from it. The pipeline explodes the arrays into its silver
tables. A block that is known in part has one row per transaction. Single transactions of one block come from
several recordings, in any order. With a record for each of them, they add up, and of two records of one
transaction the better one is kept.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from pyibc.indexer.blocks.block import Block, Tx, tx_hash_text
from pyibc.indexer.blocks.lines import content_digest
from pyibc.indexer.bronze.contents import SCHEMAS as CONTENT_SCHEMAS
from pyibc.indexer.bronze.contents import content_rows
from pyibc.indexer.bronze.ranges import Bounds, FileRange, Record, records_in
from pyibc.indexer.bronze.rows import ROW_SCHEMA, Row, chain_rows, packet_row, problem_of
from pyibc.indexer.bronze.rows import SCHEMAS as CHAIN_SCHEMAS
from pyibc.indexer.bronze.tables import is_table, rows_in
from pyibc.indexer.chains.ends import Path
from pyibc.indexer.events.packet_facts import KINDS, RECEIVING, End, number_of
from pyibc.indexer.events.packets import PacketEvent, packet_events

_KINDS = {kind: number for number, kind in enumerate(KINDS)}
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
_NOT_OF_AN_EVENT = {"chain", "height", "time_ns"}
_EVENT_NAMES = [name for name in ROW_SCHEMA.names if name not in _NOT_OF_AN_EVENT]
_EVENT_PLACES = [Row._fields.index(name) for name in _EVENT_NAMES]
EVENT = pa.struct(
    [
        *(ROW_SCHEMA.field(name) for name in _EVENT_NAMES),
        pa.field("kind", pa.int8()),  # number of the type, in the order of a packet's life
        pa.field("path_id", pa.int64()),  # hash of protocol, ports and channels
        pa.field("end_id", pa.int64()),  # hash of the path, the chain and its side
        pa.field("receiving", pa.bool_()),
    ]
)
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


def event_batches(
    parts: Iterable[FileRange], bounds: Bounds, tell: Callable[[str, str], None] = lambda _file, _reason: None
) -> Iterator[pa.RecordBatch]:
    """Yield the packet events of byte ranges as record batches of at most `BATCH_ROWS` rows.

    Only blocks within `bounds` are decoded. `tell` is called with what cannot be read: a file and the reason.
    """
    rows = (row for part in parts for row in _events_in(part, bounds, tell))
    while batch := list(islice(rows, BATCH_ROWS)):
        yield pa.RecordBatch.from_arrays(_columns(batch, EVENTS), schema=EVENTS)


def _found_in(part: FileRange, bounds: Bounds) -> Iterator[Record | tuple[Row, int]]:
    return rows_in(part, bounds) if is_table(part.url) else records_in(part, bounds)


def _events_in(
    part: FileRange, bounds: Bounds, tell: Callable[[str, str], None]
) -> Iterator[tuple[Any, ...]]:
    """Yield the packet events of a byte range as rows of `EVENTS`."""
    for found in _found_in(part, bounds):
        if not isinstance(found, Record):
            row, _ = found
            yield (row.chain, None, row.height, row.time_ns, _step(row), *_event(row.chain, row))
        elif found.head is None or found.block is None:
            tell(part.url, found.problem)
        else:
            head = found.head
            for one in parts_of(found.block, head.digest):
                place = (head.chain_id, head.incarnation or None, head.height, one.block.time_ns, one.tx)
                events, problems = _events_of(one.block)
                for event in events:
                    yield (*place, *_event(str(head.chain), packet_row(one.block, event)))
                for problem in problems:
                    tell(one.block.origin or part.url, problem)


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

    def take(self, url: str, record: Record | tuple[Row, int]) -> None:
        """Add a block, an event of a packet table or a problem of the file `url`."""
        if not isinstance(record, Record):
            self._take_row(url, *record)
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

    def _take_row(self, url: str, row: Row, place: int) -> None:
        """Add an event in the row `place` of a packet table, beside the blocks of its height."""
        digest = f"{row.time_ns or 0:016x}"
        rank = f"{int(row.time_ns is None)}{digest}"
        known = (row.chain, None, row.height, row.time_ns, digest, rank, None)
        self._blocks.append((*known, False, _step(row), 0, 0, url, place))
        self._close({"events": [_event(row.chain, row)]})

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
        "events": [_event(block.chain_id, packet_row(block, event)) for event in events],
        **beside.rows,
        **content_rows(block, events),
        "problems": [*problems, *beside.problems],
    }


def _columns(rows: list[Any], fields: Iterable[pa.Field]) -> list[pa.Array]:
    columns = zip(*rows, strict=True) if rows else ([] for _ in fields)
    return [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)]


def _step(row: Row) -> str:
    """Return the value of `tx` for a step in a packet table."""
    return f"{TABLE_STEP}{row.src_channel}/{row.sequence}/{row.type}"


def _event(chain: str, row: Row) -> tuple[Any, ...]:
    """Return the values of a packet event as `EVENT`; `chain` is the text of its chain's `ChainKey`."""
    receiving = row.type in RECEIVING
    path = (row.protocol or 0, row.src_port, row.src_channel, row.dst_port, row.dst_channel)
    return (
        *[row[place] for place in _EVENT_PLACES],
        _KINDS[row.type],
        *_ids(chain, receiving, path),
        receiving,
    )


@lru_cache(maxsize=100_000)  # ends are far fewer, and strangers can make them
def _ids(chain: str, receiving: bool, path: Path) -> tuple[int, int]:
    """Return the hashes of a path and of one of its ends."""
    return path_id(path), End(chain, receiving, *path).number


def path_id(path: Path) -> int:
    """Return the hash of protocol, ports and channels, 64 bits."""
    return number_of(*("\1" + str(part) if part is not None else "" for part in path))
