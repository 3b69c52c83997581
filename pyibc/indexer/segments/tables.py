"""Sealing of the packet table of yanagihalab: sends and acknowledgements of three chains.

A row is a `send_packet` and, if `ack_height` is set, its `acknowledge_packet`. It contains the sending chain,
channel and sequence, but no ports and no counterparty, so its packets are separate from those of recordings
of the same chain. Rows are processed in columns, without Python objects per row.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import ArrowException

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Heights
from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.packet_facts import ACK, SEND, V1
from pyibc.indexer.problems import Skipped
from pyibc.indexer.rows import ROW_SCHEMA
from pyibc.indexer.segments.columns import NUMBER, TEXT, TIME, cast
from pyibc.indexer.segments.manifest import VERSION, ChainPart, Manifest, Source
from pyibc.indexer.segments.writer import ROW_GROUP, SegmentWriter
from pyibc.indexer.storage.checksums import checksum_of
from pyibc.indexer.storage.locations import Location

COLUMNS = {
    "chain_id": TEXT,
    "channel_id": TEXT,
    "sequence": NUMBER,
    "send_height": NUMBER,
    "send_time": TIME,
    "ack_height": NUMBER,
    "ack_time": TIME,
}


def check_table(path: Location) -> None:
    """Check in the footer of a Parquet file that it has the table's columns.

    Raises:
        UnreadableInput: the file is not Parquet, or another table.
    """
    try:
        with _opened(path) as file:
            missing = [column for column in COLUMNS if column not in file.schema_arrow.names]
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is not a readable Parquet file: {str(error)[:100]}") from None
    if missing:
        raise UnreadableInput(f"is a Parquet table without {', '.join(missing)}")


def seal_table(path: Location, folder: Path, stem: str) -> Manifest:
    """Write the segment of a packet table except its manifest, which the caller writes.

    Raises:
        UnreadableInput: a page of the file is damaged, or a column has another type.
        OSError: a file cannot be read or written.
    """
    source = _source(path, stem)
    heights, times = dict[str, set[int]](), dict[str, tuple[int, int]]()
    counts, broken = dict[str, int](), 0
    with SegmentWriter(folder, stem) as writer:
        for rows in _batches(path):
            whole = rows.filter(_is_whole(rows))
            broken += len(rows) - len(whole)
            for kind, step in ((SEND, "send"), (ACK, "ack")):
                events = _events(whole, kind, step)
                counts[kind] = counts.get(kind, 0) + len(events)
                _note(events, heights, times)
                writer.add_table(events)
        files = writer.done()
        reason = f"{broken} rows without chain, channel, sequence or send_height"
        return Manifest(
            version=VERSION,
            sources=[source],
            blocks=False,
            chains={
                c: ChainPart(Heights.of(known).ranges, (), (), *times.get(c, (None, None)))
                for c, known in heights.items()
            },
            counts={kind: count for kind, count in counts.items() if count},
            ends=writer.ends,
            told=[],
            names=writer.names,
            rows=writer.rows,
            problems=[Skipped(str(path), reason)] if broken else [],
            files=files,
        )


def _source(path: Location, atom: str) -> Source:
    before = path.stat()
    return Source(str(path), 0, before.st_size, before.st_mtime_ns, checksum_of(path), atom)


@contextmanager
def _opened(path: Location) -> Iterator[pq.ParquetFile]:
    with path.open("rb") as data, pq.ParquetFile(data) as file:
        yield file


def _batches(path: Location) -> Iterator[pa.Table]:
    try:
        with _opened(path) as file:
            for batch in file.iter_batches(ROW_GROUP, columns=list(COLUMNS)):
                found = pa.Table.from_batches([batch])
                yield pa.table({name: cast(found[name], name, kind) for name, kind in COLUMNS.items()})
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is not a readable Parquet file: {str(error)[:100]}") from None


def _is_whole(rows: pa.Table) -> pa.ChunkedArray:
    # Chain ids contain no space; in segments, a space separates chain id and incarnation.
    chain = pc.invert(pc.match_substring(rows["chain_id"], " "))
    named = pc.and_(chain, pc.is_valid(rows["channel_id"]))
    placed = pc.and_(pc.greater(rows["sequence"], 0), pc.greater(rows["send_height"], 0))
    return pc.fill_null(pc.and_(named, placed), False)


def _events(rows: pa.Table, kind: str, step: str) -> pa.Table:
    """Convert rows to events of one kind, in the columns of the data source."""
    rows = rows.filter(pc.is_valid(rows[f"{step}_height"]))
    micros = rows[f"{step}_time"].cast(pa.int64())
    sane = pc.and_(pc.greater_equal(micros, 0), pc.less_equal(micros, MAX_I64 // 1000))
    values = {
        "type": _constant(kind, len(rows)),
        "chain": rows["chain_id"],
        "height": rows[f"{step}_height"],
        "time_ns": pc.multiply(pc.if_else(sane, micros, None), 1000),
        "protocol": _constant(V1, len(rows)),
        "src_channel": rows["channel_id"],
        "sequence": rows["sequence"],
    }
    columns = [
        values[f.name].cast(f.type) if f.name in values else pa.nulls(len(rows), f.type) for f in ROW_SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=ROW_SCHEMA).sort_by(
        [("chain", "ascending"), ("height", "ascending")]
    )


def _constant(value: object, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value), count)


def _note(events: pa.Table, heights: dict[str, set[int]], times: dict[str, tuple[int, int]]) -> None:
    """Add the heights, and the earliest and latest times, of the events' chains."""
    grouped = events.group_by("chain").aggregate(
        [("height", "distinct"), ("time_ns", "min"), ("time_ns", "max")]
    )
    columns = (
        grouped[name].to_pylist() for name in ("chain", "height_distinct", "time_ns_min", "time_ns_max")
    )
    for chain, known, first_ns, last_ns in zip(*columns, strict=True):
        heights.setdefault(chain, set()).update(known)
        if first_ns is not None:
            first, last = times.get(chain, (first_ns, last_ns))
            times[chain] = min(first, first_ns), max(last, last_ns)
