"""Sealing of packet tables (`bronze.tables`), in columns, without Python objects per row."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import ArrowException

from pyibc.indexer.bronze.tables import STEPS, batches_in, broken_reason, check_columns, events_of, is_whole
from pyibc.indexer.coverage import Heights
from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.problems import Skipped
from pyibc.indexer.segments.manifest import VERSION, ChainPart, Manifest, Source
from pyibc.indexer.segments.writer import ROW_GROUP, SegmentWriter
from pyibc.indexer.storage.checksums import checksum_of
from pyibc.indexer.storage.locations import Location


def check_table(path: Location) -> None:
    """Check in the footer of a Parquet file that it has the table's columns.

    Raises:
        UnreadableInput: the file is not Parquet, or another table.
    """
    try:
        with path.open("rb") as data, pq.ParquetFile(data) as file:
            check_columns(file)
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is not a readable Parquet file: {str(error)[:100]}") from None


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
            whole = rows.filter(is_whole(rows))
            broken += len(rows) - len(whole)
            for kind, step in STEPS:
                told = events_of(whole.filter(pc.is_valid(whole[f"{step}_height"])), kind, step)
                events = told.sort_by([("chain", "ascending"), ("height", "ascending")])
                counts[kind] = counts.get(kind, 0) + len(events)
                _note(events, heights, times)
                writer.add_table(events)
        files = writer.done()
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
            problems=[Skipped(str(path), broken_reason(broken))] if broken else [],
            files=files,
        )


def _source(path: Location, atom: str) -> Source:
    before = path.stat()
    return Source(str(path), 0, before.st_size, before.st_mtime_ns, checksum_of(path), atom)


def _batches(path: Location) -> Iterator[pa.Table]:
    try:
        with path.open("rb") as data:
            yield from batches_in(data, ROW_GROUP)
    except OSError as error:
        raise UnreadableInput(f"is not a readable Parquet file: {str(error)[:100]}") from None


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
