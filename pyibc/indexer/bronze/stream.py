"""Streaming reader of block files, with a log of planned byte ranges.

Files grow, so the position of a stream is a position in each of them: too much for an offset that Spark
writes with each batch. As in Spark's own file source, the offset is the number of an entry in a log, which
the reader keeps in `stateLocation`, and an entry lists the byte ranges of one batch:

    00000007.json           {"ranges": [["/exports/a/blocks-000000001001.jsonl", 8192, 9216]]}
    00000010.snapshot.json  {"files": {"/exports/a/blocks-000000001001.jsonl": [9216, 1764279524000000000]}}

An entry is written before its batch begins and never changes, so a batch that is repeated reads the same
bytes.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec
import pyarrow as pa

from pyibc.indexer.bronze.inputs import InputFiles
from pyibc.indexer.bronze.ranges import FileRange
from pyibc.indexer.bronze.reader import BlockReader, Ranges, list_of_option, number_of_option
from pyibc.indexer.errors import DamagedLog, NothingToIndex
from pyibc.indexer.files import SourceFile, StateFolder, is_packed

MAX_FILES = 1000
"""Files of a batch, unless the option `maxFilesPerTrigger` says otherwise."""
MAX_BYTES = 16 << 30
"""New bytes of a batch of several files, unless the option `maxBytesPerTrigger` says otherwise."""
SNAPSHOT_EVERY = 16  # entries

_ENTRY = re.compile(r"([0-9]{8,})\.json")
_SNAPSHOT = re.compile(r"([0-9]{8,})\.snapshot\.json")

Offset = dict[str, int]


class Position(NamedTuple):
    """Position of a stream in a file, and the modification time of the file then."""

    size: int
    mtime_ns: int


class _Entry(msgspec.Struct):
    ranges: list[tuple[str, int, int, int]]  # file, first byte, end, modification time


class _Snapshot(msgspec.Struct):
    files: dict[str, Position]


_Kind = TypeVar("_Kind", _Entry, _Snapshot)

FIRST: Offset = {"entry": 0}
"""Offset before the first entry."""


class BlockStreamReader:
    """Streaming reader of new blocks, by the file names of each folder; arguments as of `BlockReader`."""

    def __init__(self, schema: pa.Schema, options: Mapping[str, str]) -> None:
        self._reader = BlockReader(schema, options)
        if not options.get("statelocation"):
            raise NothingToIndex("a stream needs the option stateLocation: a folder of its own for its log")
        self._location = options["statelocation"]
        self._without = list_of_option(options, "without")
        self.max_files = number_of_option(options, "maxFilesPerTrigger", MAX_FILES)
        self._max_bytes = number_of_option(options, "maxBytesPerTrigger", MAX_BYTES)
        self._opened: RangeLog | None = None
        self._latest = 0
        self._found: InputFiles | None = None
        self._files: list[SourceFile] | None = None

    def next_offset(self, start: Offset | None, max_files: int | None) -> Offset:
        """Return the offset of the next batch: `start` if nothing is new.

        Args:
            start: offset of the last batch; None: the last returned one, and after a restart the last entry
                in the log.
            max_files: most new or grown files of the batch; None: any number. Several files have at most
                `maxBytesPerTrigger` new bytes.
        """
        before = start["entry"] if start is not None else self._latest or self._log.last
        files = self._inputs.listed() if self._files is None else self._files
        self._latest = self._log.next_after(before, files, max_files, self._max_bytes)
        return {"entry": self._latest}

    def list_files(self) -> None:
        """List the files that a run with an end reads; what comes later is for the next run."""
        self._files = self._inputs.listed()

    def partitions(self, start: Offset, end: Offset) -> list[Ranges]:
        """Return the partitions of the entries after `start`, up to `end`."""
        self._latest = max(self._latest, end["entry"])
        ranges = [
            each for entry in range(start["entry"] + 1, end["entry"] + 1) for each in self._log.ranges(entry)
        ]
        return self._reader.divided([each for each in ranges if self._inputs.is_read(each.url)])

    def read(self, ranges: Ranges) -> Iterator[pa.RecordBatch]:
        """Yield the blocks of a partition."""
        return self._reader.read(ranges)

    def commit(self, end: Offset) -> None:
        """Remove the entries that no batch needs any more."""
        self._log.forget_before(end["entry"])

    @property
    def _inputs(self) -> InputFiles:
        if self._found is None:
            self._found = InputFiles(self._reader.urls, self._location, self._without)
        return self._found

    @property
    def _log(self) -> "RangeLog":
        if self._opened is None:
            self._opened = RangeLog(self._location)
        return self._opened


class RangeLog:
    """Log of planned byte ranges in a folder."""

    def __init__(self, location: str) -> None:
        self._folder = StateFolder(location)
        names = self._folder.names()
        self._entries = sorted(int(found[1]) for name in names if (found := _ENTRY.fullmatch(name)))
        self._snapshots = sorted(int(found[1]) for name in names if (found := _SNAPSHOT.fullmatch(name)))
        self._at: tuple[int, dict[str, Position]] = (0, {})

    @property
    def last(self) -> int:
        """Number of the last entry; 0 if there is none."""
        return max([0, *self._entries[-1:], *self._snapshots[-1:]])

    def ranges(self, entry: int) -> list[FileRange]:
        """Return the byte ranges of an entry.

        Raises:
            DamagedLog: the entry is missing or malformed.
        """
        return [FileRange(url, begin, end, is_last=False) for url, begin, end, _ in self._read(entry)]

    def next_after(
        self, entry: int, files: Sequence[SourceFile], most: int | None, most_bytes: int = MAX_BYTES
    ) -> int:
        """Return the entry after `entry`, which is written if `files` have anything new; else `entry`.

        It has at most `most` files (None: any number), and `most_bytes` of several.

        An entry that exists already, of a batch that did not begin, is kept.
        """
        if entry + 1 in self._entries:
            return entry + 1
        known = self._positions(entry)
        grown = [file for file in files if known.get(file.url) != (file.size, file.mtime_ns)]
        listed, size = list[list[Any]](), 0
        for file in islice(_side_by_side(grown), most):
            begin = _begin(file, known.get(file.url))
            size += file.size - begin
            # guard: a-batch-has-any-number-of-bytes drop test_a_batch_of_several_files_has_a_bounded_size
            if listed and size > most_bytes:
                break
            listed.append([file.url, begin, file.size, file.mtime_ns])
        if not listed:
            return entry
        self._folder.write(f"{entry + 1:08d}.json", json.dumps({"ranges": listed}).encode())
        self._entries.append(entry + 1)
        return entry + 1

    def forget_before(self, entry: int) -> None:
        """Write a snapshot now and then, and remove the entries and snapshots before it."""
        if entry % SNAPSHOT_EVERY:
            return
        files = {url: list(place) for url, place in self._positions(entry).items()}
        self._folder.write(f"{entry:08d}.snapshot.json", json.dumps({"files": files}).encode())
        for numbers, suffix in (self._entries, "json"), (self._snapshots, "snapshot.json"):
            for number in numbers:
                if number < entry:
                    self._folder.remove(f"{number:08d}.{suffix}")
        self._entries = [number for number in self._entries if number >= entry]
        self._snapshots = [entry]

    def _positions(self, entry: int) -> Mapping[str, Position]:
        """Return how far each file was read after `entry`."""
        at, known = self._at
        if at > entry or not known:
            at, known = self._snapshot(entry)
        for number in range(at + 1, entry + 1):
            known |= {url: Position(end, mtime) for url, _, end, mtime in self._read(number)}
        self._at = (entry, known)
        return known

    def _snapshot(self, entry: int) -> tuple[int, dict[str, Position]]:
        usable = [number for number in self._snapshots if number <= entry]
        if not usable:
            return 0, {}
        return usable[-1], self._document(f"{usable[-1]:08d}.snapshot.json", _Snapshot).files

    def _read(self, entry: int) -> list[tuple[str, int, int, int]]:
        return self._document(f"{entry:08d}.json", _Entry).ranges

    def _document(self, name: str, kind: type[_Kind]) -> _Kind:
        try:
            return self._folder.document(name, kind)
        except FileNotFoundError:
            raise DamagedLog(self._folder.path(name), "is missing") from None


def _side_by_side(files: Iterable[SourceFile]) -> list[SourceFile]:
    """Order files so that equal parts of all folders are read together.

    An exporter writes one chain to a folder, in order. If both chains of a packet are in one batch, its row
    is written once.
    """
    folders, places = defaultdict[str, list[SourceFile]](list), dict[str, float]()
    for file in files:
        folders[file.url.rpartition("/")[0]].append(file)
    for folder in folders.values():
        total, before = sum(file.size for file in folder) or 1, 0
        for file in folder:
            places[file.url] = before / total
            before += file.size
    return sorted((file for folder in folders.values() for file in folder), key=lambda file: places[file.url])


def _begin(file: SourceFile, known: Position | None) -> int:
    """Return where to begin: after what was read, or at the beginning of a file that was replaced."""
    if known is None or is_packed(file.url) or file.size <= known.size:
        return 0
    return known.size
