"""`pyibc.indexer.read`: packet events of any inputs as Arrow record batches, without an engine and tables."""

from collections.abc import Iterable, Iterator
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from pyibc.indexer.bronze.inputs import InputFiles
from pyibc.indexer.bronze.ranges import Bounds, FileRange, Record, records_in
from pyibc.indexer.bronze.reader import files_within
from pyibc.indexer.bronze.records import BATCH_ROWS, EVENT, EVENT_PLACE, event_of, parts_of, table_step
from pyibc.indexer.bronze.rows import PROBLEM, rows_of
from pyibc.indexer.bronze.tables import is_table, rows_in
from pyibc.indexer.errors import Problems, Skipped
from pyibc.indexer.locations import AnyPath, existing

SCHEMA = pa.schema([*EVENT_PLACE, *EVENT])
"""Columns of a packet event: those of `silver/packet_events`, without the batch that brought the row."""


def read(
    inputs: AnyPath | Iterable[AnyPath],
    *,
    chains: str | Iterable[str] | None = None,
    first_height: int = 0,
    last_height: int | None = None,
) -> "PacketEvents":
    """Read the packet events of exports, node recordings and packet tables, in this process.

    Args:
        inputs: one or several paths or URLs of files and folders; the content decides the format.
        chains: id of a chain, or several; None: all chains.
        first_height: lowest height.
        last_height: highest height; None: all.

    Raises:
        FileNotFoundError: an input does not exist.
    """
    names = None if chains is None else frozenset([chains] if isinstance(chains, str) else chains)
    return PacketEvents(existing(inputs), Bounds(names, first_height, last_height, with_problems=True))


class PacketEvents:
    """Packet events as Arrow record batches of at most 8,192 rows, which are read on iteration.

    Libraries that take Arrow streams, such as PyArrow, Polars and DuckDB, take this object, too. Each
    iteration reads the inputs anew. A block that several files contain is read from each of them.
    """

    def __init__(self, urls: list[str], bounds: Bounds) -> None:
        """Read from `urls` the blocks that are within `bounds`."""
        self._urls, self._bounds = urls, bounds
        self._problems, self._told = Problems(), list[Skipped]()
        self._notes = list[Skipped]()

    @property
    def schema(self) -> pa.Schema:
        """Columns of the batches."""
        return SCHEMA

    @property
    def skipped(self) -> list[Skipped]:
        """Files, and parts of files, that the last iteration could not read, with reasons."""
        return sorted({*self._told, *self._problems.all()})

    @property
    def notes(self) -> list[Skipped]:
        """Assumptions of the last iteration about recordings, by file."""
        return self._notes

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the events in the order of the files.

        Raises:
            NothingToIndex: a URL does not exist.
            StorageUnreachable: a folder or store cannot be read.
            UnreadableInput: a URL has a scheme that is not supported.
        """
        self._problems = Problems()
        with TemporaryDirectory(prefix="pyibc-read-") as state:  # for the blocks of recordings
            found = InputFiles(self._urls, state)
            files = [file for file in found.listed() if found.is_read(file.url)]
            self._told, self._notes = list(found.told.skipped), list(found.told.notes)
            within = files_within(files, self._bounds)
            # As in a stream, a line without its end may still be written.
            parts = (FileRange(file.url, 0, file.size, is_last=False) for file in within)
            rows = (row for part in parts for row in self._rows(part))
            while batch := list(islice(rows, BATCH_ROWS)):
                columns = zip(*batch, strict=True)
                arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)

    def reader(self) -> pa.RecordBatchReader:
        """Return a reader of one iteration."""
        return pa.RecordBatchReader.from_batches(SCHEMA, iter(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export one iteration as a stream of Arrow's C interface."""
        return self.reader().__arrow_c_stream__(requested_schema)

    def _rows(self, part: FileRange) -> Iterator[tuple[Any, ...]]:
        if not is_table(part.url):
            for record in records_in(part, self._bounds):
                yield from self._rows_of_line(part.url, record)
            return
        for row, _ in rows_in(part, self._bounds):
            if row.type == PROBLEM:
                self._problems.add(part.url, row.detail or "")
            else:
                place = (row.chain, None, row.height, row.time_ns, table_step(row))
                yield (*place, *event_of(str(row.chain), row))

    def _rows_of_line(self, url: str, record: Record) -> Iterator[tuple[Any, ...]]:
        head, block = record.head, record.block
        if head is None or block is None:
            self._problems.add(url, record.problem)
            return
        chain = str(head.chain)
        for part in parts_of(block, head.digest):
            place = (head.chain_id, head.incarnation or None, head.height, block.time_ns, part.tx)
            for row in rows_of(part.block, url, everything=True):
                if row.type == PROBLEM:
                    self._problems.add(row.file or url, row.detail or "")
                elif row.sequence is not None:
                    yield (*place, *event_of(chain, row))
