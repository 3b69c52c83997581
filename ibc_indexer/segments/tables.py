"""The packet table of yanagihalab, sends and acknowledgements of three chains, into a segment.

One row is a `send_packet` and, where `ack_height` is set, its `acknowledge_packet`. It names the sending
chain, the channel and the sequence; ports and the other end are not in it, so its rows stay apart from those
of recordings of the same chain. Reading it makes no Python object a row.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import ArrowException

from ibc_core.numbers import MAX_I64
from ibc_indexer.coverage import Heights
from ibc_indexer.errors import UnreadableInput
from ibc_indexer.packet_facts import ACK, SEND, V1
from ibc_indexer.rows import ROW_SCHEMA
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.lines import checksum_of
from ibc_indexer.segments.manifest import VERSION, ChainPart, Manifest, Source
from ibc_indexer.segments.writer import ROW_GROUP, SegmentWriter
from ibc_indexer.storage.locations import Location

_TEXT, _NUMBER, _TIME = pa.string(), pa.int64(), pa.timestamp("us")
COLUMNS = {
    "chain_id": _TEXT,
    "channel_id": _TEXT,
    "sequence": _NUMBER,
    "send_height": _NUMBER,
    "send_time": _TIME,
    "ack_height": _NUMBER,
    "ack_time": _TIME,
}


def check_table(path: Location) -> None:
    """Accepts a Parquet file with the table's columns, by its footer.

    Raises:
        UnreadableInput: it is no Parquet, or another table.
    """
    try:
        with _opened(path) as file:
            missing = [column for column in COLUMNS if column not in file.schema_arrow.names]
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is no readable Parquet file: {str(error)[:100]}") from None
    if missing:
        raise UnreadableInput(f"is a Parquet table without {', '.join(missing)}")


def seal_table(path: Location, folder: Path, stem: str) -> Manifest:
    """Writes the segment of a packet table; its manifest is for the caller to write.

    Raises:
        UnreadableInput: a page of it is damaged, or a column has another type than the table's.
        OSError: a file cannot be read or written.
    """
    source = _source(path, stem)
    heights, times, counts, broken = dict[str, set[int]](), dict[str, int](), dict[str, int](), 0
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
                c: ChainPart(Heights.of(known).ranges, (), (), times.get(c)) for c, known in heights.items()
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
                yield pa.table({name: _cast(found[name], name, kind) for name, kind in COLUMNS.items()})
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is no readable Parquet file: {str(error)[:100]}") from None


def _cast(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """The column as `kind`; a number or time out of its range is null.

    Raises:
        UnreadableInput: its type is no text, whole number or time.
    """
    found = column.type
    if pa.types.is_dictionary(found):
        column, found = column.cast(found.value_type), found.value_type
    if pa.types.is_null(found):
        return column.cast(kind)
    if kind is _TEXT and (pa.types.is_string(found) or pa.types.is_large_string(found)):
        return column.cast(kind)
    if kind is _NUMBER and pa.types.is_floating(found):  # integers with nulls, as pandas keeps them
        whole = pc.and_(pc.equal(column, pc.floor(column)), pc.less(pc.abs(column), 2.0**53))
        return pc.if_else(whole, column, None).cast(kind)
    if kind is _NUMBER and pa.types.is_integer(found):
        return (
            pc.if_else(pc.less_equal(column, pa.scalar(MAX_I64, found)), column, None).cast(kind)
            if (found == pa.uint64())
            else column.cast(kind)
        )
    if kind is _TIME and pa.types.is_timestamp(found):
        return column.cast(pa.timestamp("us", found.tz), safe=False).cast(kind)
    raise UnreadableInput(f"has a column {name} of type {found}")


def _is_whole(rows: pa.Table) -> pa.ChunkedArray:
    # A chain id has no space; in what is sealed a chain's incarnation stands behind one.
    chain = pc.invert(pc.match_substring(rows["chain_id"], " "))
    named = pc.and_(chain, pc.is_valid(rows["channel_id"]))
    placed = pc.and_(pc.greater(rows["sequence"], 0), pc.greater(rows["send_height"], 0))
    return pc.fill_null(pc.and_(named, placed), False)


def _events(rows: pa.Table, kind: str, step: str) -> pa.Table:
    """The rows' events of one kind, in the columns of the data source."""
    rows = rows.filter(pc.is_valid(rows[f"{step}_height"]))
    micros = rows[f"{step}_time"].cast(pa.int64())
    sane = pc.and_(pc.greater_equal(micros, 0), pc.less_equal(micros, MAX_I64 // 1000))
    told = {
        "type": _constant(kind, len(rows)),
        "chain": rows["chain_id"],
        "height": rows[f"{step}_height"],
        "time_ns": pc.multiply(pc.if_else(sane, micros, None), 1000),
        "protocol": _constant(V1, len(rows)),
        "src_channel": rows["channel_id"],
        "sequence": rows["sequence"],
    }
    columns = [
        told[f.name].cast(f.type) if f.name in told else pa.nulls(len(rows), f.type) for f in ROW_SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=ROW_SCHEMA).sort_by(
        [("chain", "ascending"), ("height", "ascending")]
    )


def _constant(value: object, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value), count)


def _note(events: pa.Table, heights: dict[str, set[int]], times: dict[str, int]) -> None:
    grouped = events.group_by("chain").aggregate([("height", "distinct"), ("time_ns", "max")])
    for chain, known, time_ns in zip(
        *(grouped[c].to_pylist() for c in ("chain", "height_distinct", "time_ns_max")), strict=True
    ):
        heights.setdefault(chain, set()).update(known)
        if time_ns is not None:
            times[chain] = max(time_ns, times.get(chain, 0))
