"""`pyibc.indexer.read`: packet events of any inputs as Arrow record batches, without an engine and tables."""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryDirectory

import pyarrow as pa

from pyibc.indexer.bronze.inputs import InputFiles
from pyibc.indexer.bronze.ranges import Bounds, FileRange
from pyibc.indexer.bronze.reader import files_within
from pyibc.indexer.bronze.records import EVENTS, event_batches
from pyibc.indexer.errors import Problems, Skipped
from pyibc.indexer.locations import AnyPath, existing


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
        """Columns of the batches: those of `silver/packet_events`, without the batch that brought the row."""
        return EVENTS

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
            yield from event_batches(parts, self._bounds, self._problems.add)

    def reader(self) -> pa.RecordBatchReader:
        """Return a reader of one iteration."""
        return pa.RecordBatchReader.from_batches(EVENTS, iter(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export one iteration as a stream of Arrow's C interface."""
        return self.reader().__arrow_c_stream__(requested_schema)
