"""Batch reader of block files, on which the data source `ibc` and the local engine rest."""

import gc
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from tempfile import TemporaryDirectory

import pyarrow as pa

from pyibc.indexer.bronze.inputs import InputFiles
from pyibc.indexer.bronze.ranges import (
    NO_LINES,
    OPENING,
    Bounds,
    FileRange,
    Record,
    grouped,
    lines_in,
    range_of,
    split,
)
from pyibc.indexer.bronze.records import EVENTS, batches_of, event_batches
from pyibc.indexer.errors import MalformedLine, NothingToIndex, Problems, Skipped, UnreadableInput
from pyibc.indexer.files import SourceFile, list_files
from pyibc.indexer.locations import AnyPath, existing

PARTITION_BYTES = 128 << 20  # as `spark.sql.files.maxPartitionBytes`
MIN_PARTITIONS = 32
_SMALLEST = 8 << 20  # bytes of a partition below which more of them do not pay off
_DIGITS = 19  # of the highest number
_NEW_OBJECTS = 20_000  # before the garbage collector looks at them; 700 otherwise

Ranges = tuple[FileRange, ...]
"""Byte ranges of files that are read together: a partition."""


_READ = {"packets": event_batches, "blocks": batches_of}
"""Functions that read byte ranges, by the option `rows`."""


class BlockReader:
    """Batch reader of the blocks within the bounds in the options, or of their packet events.

    Args:
        schema: columns of the batches, a choice of those of `SCHEMA`.
        options: those of the data source, with names in lower case.
        is_strict: raise an error for a file that cannot be read, where rows cannot tell it.

    Raises:
        NothingToIndex, UnreadableInput: an option is missing or malformed.
    """

    def __init__(self, schema: pa.Schema, options: Mapping[str, str], *, is_strict: bool = False) -> None:
        rows = options.get("rows", "packets")
        if rows not in _READ:
            raise UnreadableInput(f"the option rows is {rows[:32]!r}, which is none of {', '.join(_READ)}")
        self._schema, self._read = schema, _READ[rows]
        self.urls = urls_of(options)
        self._most_bytes = number_of_option(options, "partitionBytes", PARTITION_BYTES)
        self._min_partitions = number_of_option(options, "minPartitions", MIN_PARTITIONS)
        self._bounds = bounds_of(options)
        if is_strict and self._read is event_batches:
            self._read = partial(event_batches, tell=_refuse)
            self._bounds = self._bounds._replace(with_problems=True)

    def partitions(self) -> list[Ranges]:
        """Return the partitions, without the files that the bounds exclude.

        Heights are known from the names of files, and chains from the first line of one file per folder, if
        there is the option `chains`: an exporter writes one chain to a folder.

        Raises:
            NothingToIndex: a path does not exist.
        """
        files = files_within(list_files(self.urls), self._bounds)
        return self.divided([range_of(file) for file in files])

    def divided(self, ranges: Sequence[FileRange]) -> list[Ranges]:
        """Divide byte ranges into partitions of equal size, within the limits in the options."""
        total = sum(each.size + OPENING for each in ranges)
        size = min(self._most_bytes, max(_SMALLEST, -(-total // self._min_partitions)))
        parts = (part for each in ranges for part in split(each, size))
        return [tuple(group) for group in grouped(parts, size)]

    def read(self, ranges: Ranges) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition.

        Raises:
            UnreadableInput: a file cannot be read.
        """
        with rare_collections():
            for batch in self._read(ranges, self._bounds):
                yield batch.select(self._schema.names)


def _refuse(url: str, found: Record) -> None:
    """Raise an error if the problem is that of a file."""
    if found.is_file:
        hint = " (recordings: `readStream` or `pyibc.indexer.read`)" if found.problem == NO_LINES else ""
        raise UnreadableInput(f"{url} {found.problem}{hint}")


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage less often. Decoding makes many objects but no cycles, and becomes a tenth faster."""
    before = gc.get_threshold()
    gc.set_threshold(before[0] and max(_NEW_OBJECTS, before[0]), *before[1:])  # 0: never
    set_here = gc.get_threshold()
    try:
        yield
    finally:
        if gc.get_threshold() == set_here:  # nobody else has set it meanwhile
            gc.set_threshold(*before)


def number_of_option(options: Mapping[str, str], name: str, default: int) -> int:
    """Return the number in an option.

    Raises:
        UnreadableInput: it is not a positive number.
    """
    text = options.get(name.lower(), str(default))
    if not (text.isascii() and text.isdigit() and 0 < len(text) < _DIGITS and int(text) > 0):
        raise UnreadableInput(f"the option {name} is {text[:_DIGITS]!r}, which is not a positive number")
    return int(text)


def bounds_of(options: Mapping[str, str]) -> Bounds:
    """Return the bounds in the options `chains`, `firstHeight` and `lastHeight`.

    Raises:
        NothingToIndex, UnreadableInput: an option is malformed.
    """
    chains = options.get("chains")
    if chains is not None and not chains.strip():
        raise UnreadableInput("the option chains is empty")
    bounds = Bounds()
    if chains is not None:
        listed = list_of_option(options, "chains") if chains.startswith("[") else [chains]
        bounds = bounds._replace(chains=frozenset(listed))
    if "firstheight" in options:
        bounds = bounds._replace(first=number_of_option(options, "firstHeight", 1))
    if "lastheight" in options:
        bounds = bounds._replace(last=number_of_option(options, "lastHeight", 1))
    return bounds


def urls_of(options: Mapping[str, str]) -> list[str]:
    """Return the paths of the options `path` or `paths`.

    Raises:
        NothingToIndex: there is none, or `paths` is malformed.
    """
    if "paths" in options:
        return list_of_option(options, "paths")
    if "path" not in options:
        raise NothingToIndex("the data source ibc needs a path")
    return [options["path"]]


def list_of_option(options: Mapping[str, str], name: str) -> list[str]:
    """Return the texts in an option, none if there is no such option.

    Raises:
        NothingToIndex: it is malformed.
    """
    try:
        found = json.loads(options.get(name, "[]"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(url, str) for url in found):
        raise NothingToIndex(f"the option {name} is not a JSON list of texts")
    return found


def files_within(files: Sequence[SourceFile], bounds: Bounds) -> Iterator[SourceFile]:
    """Yield the files that may have blocks within bounds."""
    for _, folder in groupby(files, key=lambda file: file.url.rpartition("/")[0]):
        listed = list(folder)
        if bounds.chains is not None and (chain := _chain_of(listed)) and chain not in bounds.chains:
            continue
        yield from (file for file in listed if _overlaps(file, listed, bounds))


def _chain_of(files: Sequence[SourceFile]) -> str | None:
    """Return the chain of a folder that an exporter wrote; None for other folders."""
    if any(file.first_height is None for file in files):
        return None
    try:
        for line in lines_in(range_of(files[0])):
            return line.head().chain_id
    except (MalformedLine, UnreadableInput):
        pass  # executors report it; no file is left out
    return None


def _overlaps(file: SourceFile, folder: Sequence[SourceFile], bounds: Bounds) -> bool:
    """Return whether a file may contain heights within the bounds, by its name and the next one's."""
    first = file.first_height
    if first is None:
        return True
    if bounds.last is not None and first > bounds.last:
        return False
    later = [each.first_height for each in folder if each.first_height is not None]
    following = min((height for height in later if height > first), default=None)
    return following is None or following > bounds.first


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
            # As in a stream, a line without its end may still be written: it is told as such.
            parts = (range_of(file)._replace(is_last=False) for file in within)
            yield from event_batches(
                parts, self._bounds, lambda url, found: self._problems.add(url, found.problem)
            )

    def reader(self) -> pa.RecordBatchReader:
        """Return a reader of one iteration."""
        return pa.RecordBatchReader.from_batches(EVENTS, iter(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export one iteration as a stream of Arrow's C interface."""
        return self.reader().__arrow_c_stream__(requested_schema)
