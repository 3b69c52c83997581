"""Writer of the Parquet files of a segment, in bounded memory."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyibc.indexer import chain_rows
from pyibc.indexer.calls import rows as call_rows
from pyibc.indexer.coverage import Heights
from pyibc.indexer.rows import ROW_SCHEMA, Row
from pyibc.indexer.segments.manifest import SealedEnd, SealedFile
from pyibc.indexer.segments.numbers import EVENT_SCHEMA, NAME_SCHEMA, End, name_rows, numbered
from pyibc.indexer.storage.checksums import checksum_of
from pyibc.indexer.transfers import rows as transfer_rows

ROW_GROUP = 1 << 16
"""Rows of a Parquet row group, the unit of pruning by height; also the maximum of buffered rows."""

BLOCK_SCHEMA = pa.schema(
    [
        ("chain", pa.string()),
        ("height", pa.int64()),
        ("time_ns", pa.int64()),
        ("txs", pa.int64()),
        ("app_hash", pa.string()),  # hex; null if not known
        ("digest", pa.string()),  # of codes and events; equal for records of a block that agree
        ("partial", pa.bool_()),
        ("offset", pa.int64()),  # of the line in the source
        ("length", pa.int64()),
    ]
)
_PLAIN = {"tx_hash", "amount", "amount_low", "data_digest", "place"}  # mostly distinct values


class SegmentWriter:
    """Writer of `<stem>.events.parquet` and the other files of a segment; empty files are not created."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder, self._stem = folder, stem
        self._rows: list[Row] = []
        self._blocks: list[tuple[Any, ...]] = []
        self._beside: dict[str, list[tuple[object, ...]]] = {role: [] for role in _BESIDE}
        self._ends = Counter[End]()
        self._bands: dict[End, set[int]] = defaultdict(set)
        self._names: dict[tuple[str, str], int] = {}
        self._open: dict[str, pq.ParquetWriter] = {}
        self.rows = 0

    def __enter__(self) -> "SegmentWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._open.values():
            writer.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Add packet events, in ascending order of heights."""
        self._rows.extend(rows)
        while len(self._rows) >= ROW_GROUP:
            self._flush(ROW_GROUP)

    def add_table(self, events: pa.Table) -> None:
        """Add packet events as a table of `ROW_SCHEMA`."""
        for start in range(0, len(events), ROW_GROUP):
            self._write_events(events.slice(start, ROW_GROUP).combine_chunks())

    def add_block(self, *block: Any) -> None:
        """Add a block, with the columns of `BLOCK_SCHEMA`."""
        self._blocks.append(block)
        if len(self._blocks) == ROW_GROUP:
            self._flush_blocks()

    def add_to(self, role: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Add rows of another role, with the columns of `SCHEMAS[role]`."""
        waiting = self._beside[role]
        waiting.extend(rows)
        while len(waiting) >= ROW_GROUP:
            self._flush_beside(role)

    def done(self) -> dict[str, SealedFile]:
        """Write the buffered rows and close the files; return the files by role."""
        if self._rows:
            self._flush(len(self._rows))
        if self._blocks:
            self._flush_blocks()
        for role, waiting in self._beside.items():
            if waiting:
                self._flush_beside(role)
        if self._names:
            self._write("names", name_rows(self._names.items()))
        for writer in self._open.values():
            writer.close()
        return {role: file_of(self._folder, self._stem, role) for role in sorted(self._open)}

    @property
    def ends(self) -> list[SealedEnd]:
        """All ends that were written, sorted."""
        found = [
            SealedEnd(end, end.number, events, Heights.of(self._bands[end]).ranges)
            for end, events in self._ends.items()
        ]
        return sorted(found, key=lambda sealed: sealed.number)

    @property
    def names(self) -> int:
        """Number of entries in the dictionary."""
        return len(self._names)

    def _flush(self, count: int) -> None:
        columns = zip(*self._rows[:count], strict=True)
        del self._rows[:count]
        arrays = [pa.array(c, f.type) for c, f in zip(columns, ROW_SCHEMA, strict=True)]
        self._write_events(pa.Table.from_arrays(arrays, schema=ROW_SCHEMA))

    def _write_events(self, rows: pa.Table) -> None:
        found = numbered(rows)
        self._ends.update(found.ends)
        for end, bands in found.bands.items():
            self._bands[end].update(bands)
        self._names.update(found.names)
        self.rows += len(rows)
        self._write("events", found.events)

    def _flush_blocks(self) -> None:
        columns = zip(*self._blocks, strict=True)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, BLOCK_SCHEMA, strict=True)]
        self._blocks = []
        self._write("blocks", pa.Table.from_arrays(arrays, schema=BLOCK_SCHEMA))

    def _flush_beside(self, role: str) -> None:
        waiting = self._beside[role]
        columns = zip(*waiting[:ROW_GROUP], strict=True)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, SCHEMAS[role], strict=True)]
        del waiting[:ROW_GROUP]
        self._write(role, pa.Table.from_arrays(arrays, schema=SCHEMAS[role]))

    def _write(self, role: str, table: pa.Table) -> None:
        writer = self._open.get(role)
        if writer is None:
            writer = self._open[role] = open_file(self._folder, self._stem, role)
        writer.write_table(table, row_group_size=ROW_GROUP)


def open_file(folder: Path, stem: str, role: str) -> pq.ParquetWriter:
    """Open a segment's file of `role` for writing."""
    repeated = [name for name in SCHEMAS[role].names if name not in _PLAIN]
    return pq.ParquetWriter(
        _path(folder, stem, role), SCHEMAS[role], compression="zstd", use_dictionary=repeated
    )


def file_of(folder: Path, stem: str, role: str) -> SealedFile:
    """Describe a segment's file of `role`."""
    path = _path(folder, stem, role)
    return SealedFile(path.name, path.stat().st_size, checksum_of(path))


def _path(folder: Path, stem: str, role: str) -> Path:
    return folder / f"{stem}.{role}.parquet"


_BESIDE = chain_rows.SCHEMAS | transfer_rows.SCHEMAS | call_rows.SCHEMAS
SCHEMAS = {"events": EVENT_SCHEMA, "blocks": BLOCK_SCHEMA, "names": NAME_SCHEMA, **_BESIDE}
"""Schemas of a segment's files by role."""
