"""PySpark data source `ibc`: packet events of exported blocks.

    pyibc.indexer.register(spark)
    spark.read.format("ibc").load(folder).where("chain = 'osmosis-1' and height >= 30000000")

Options: `path` (a file or folder) or `paths` (a JSON list); `rows`: `packets` (default) or `all`, which adds
blocks, event counts and problems; `partitionBytes` (default 32 MiB). A partition is a range of heights of one
chain. Filters on `chain` and `height` select partitions before they are read, and lines before they are
parsed. A schema with fewer columns (`.schema(...)`) creates only these. Workers import this package; if it is
not installed there, `session.open_session` sends it.

    spark.readStream.format("ibc").load(folder)

streams each height of each chain once, in any order of arrival.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyibc.indexer.block_files import Line, is_packed, read_lines, sort_files
from pyibc.indexer.chain_rows import chain_rows
from pyibc.indexer.coverage import Heights
from pyibc.indexer.errors import MalformedLine, NothingToIndex
from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.lines import decode_line
from pyibc.indexer.pushdown import Bounds
from pyibc.indexer.rows import DDL, PROBLEM, Row, count_events, count_rows, rows_of
from pyibc.indexer.scan import ByteRange, FoundLine, Skipped, joined, scan_paths
from pyibc.indexer.storage.locations import Location, location_of

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter
    from pyspark.sql.streaming.datasource import ReadLimit

BATCH_ROWS = 8192
PARTITION_BYTES = 32 << 20


class HeightRange(InputPartition):
    """Partition with byte ranges of one chain in ascending order, or with the problems found."""

    def __init__(self, ranges: Sequence[ByteRange], problems: Sequence[Skipped] = ()) -> None:
        super().__init__(None)
        self.ranges = tuple(ranges)
        self.problems = tuple(problems)


class IbcDataSource(DataSource):
    """`spark.read.format("ibc")`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "ibc"

    def schema(self) -> str:
        """Return all columns as DDL."""
        return DDL

    def reader(self, schema: StructType) -> "IbcReader":
        """Create a batch reader for the columns of `schema`."""
        return IbcReader(schema, dict(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Create a streaming reader for the columns of `schema`."""
        return IbcStreamReader(schema, dict(self.options))


class IbcReader(DataSourceReader):
    """Batch reader of the lines that match the pushed filters."""

    def __init__(self, schema: StructType, options: dict[str, str]) -> None:
        self._schema = schema
        self._paths = _paths_of(options)
        self._everything = options.get("rows", "packets") == "all"
        self._partition_bytes = int(
            options.get("partitionbytes") or options.get("partitionBytes") or PARTITION_BYTES
        )
        self._bounds = Bounds()

    def pushFilters(self, filters: "list[Filter]") -> "Iterable[Filter]":  # noqa: N802
        """Accept the filters on `chain` and `height`; return the others, which Spark applies.

        PySpark 4.0 does not call this method, and Spark applies all filters to the rows.
        """
        self._bounds, rest = Bounds.of(filters)
        return rest

    def partitions(self) -> Sequence[HeightRange]:
        """Return ranges of heights with about `partitionBytes` each.

        Raises:
            NothingToIndex: a path does not exist.
        """
        found = scan_paths(self.paths())
        parts = self.grouped([part for part in found.ranges if self._bounds.overlaps(part)])
        if self._everything and found.skipped and self._bounds == Bounds():  # of no chain, of no height
            parts.append(HeightRange((), found.skipped))
        return parts or [HeightRange(())]  # without partitions, Spark would read one of its own

    def paths(self) -> list[Path]:
        """Return the input files and folders.

        Raises:
            NothingToIndex: a path does not exist.
        """
        for path in self._paths:
            if not path.exists():
                raise NothingToIndex(f"no such file or folder: {path}")
        return self._paths

    def grouped(self, ranges: Iterable[ByteRange]) -> list[HeightRange]:
        """Group byte ranges to partitions."""
        ordered = sorted(ranges, key=lambda part: (part.chain_id, part.first))
        return [HeightRange(group) for group in _grouped(ordered, self._partition_bytes)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition as record batches."""
        schema = to_arrow_schema(self._schema)
        pick = itemgetter(
            *(Row._fields.index(name) for name in schema.names), 0
        )  # at least two indices, so that the result is always a tuple
        rows = iter(self._rows(partition))  # type: ignore[arg-type]
        while batch := list(islice(rows, BATCH_ROWS)):
            columns = list(zip(*map(pick, batch), strict=True))
            arrays = [pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=False)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _rows(self, partition: HeightRange) -> Iterator[Row]:
        counts = Counter[str]()
        for part in partition.ranges:
            for line in read_lines(Path(part.file), part.offset, part.length):
                yield from self._line_rows(part, line, counts)
        if self._everything and partition.ranges:
            yield from count_rows(partition.ranges[0].chain_id, partition.ranges[0].first, counts)
        for file, reason in partition.problems:
            yield Row(PROBLEM, None, None, detail=reason, file=file)

    def _line_rows(self, part: ByteRange, line: Line, counts: Counter[str]) -> Iterator[Row]:
        height = part.first
        try:
            height = line.head().height
            if not self._bounds.admits(part.chain_id, height):
                return
            block = decode_line(line.data)._replace(chain_id=part.chain_id)
        except MalformedLine as error:
            if self._everything:
                reason = f"line at byte {line.offset}: {error.reason}"
                yield Row(PROBLEM, part.chain_id, height, detail=reason, file=part.file)
            return
        if self._everything:
            counts.update(count_events(block))
            yield from chain_rows(block, part.file).problems
        yield from rows_of(block, part.file, everything=self._everything)


def _paths_of(options: dict[str, str]) -> list[Path]:
    if "path" not in options and "paths" not in options:
        raise NothingToIndex("the data source ibc needs a path")
    paths = json.loads(options["paths"]) if "paths" in options else [options["path"]]
    places = [location_of(path) for path in paths]
    if any(not isinstance(place, Path) for place in places):
        raise NothingToIndex(
            "the data source ibc reads folders that are mounted on every worker; `pyibc index` reads s3://"
        )
    return [place for place in places if isinstance(place, Path)]


def _grouped(ranges: list[ByteRange], limit: int) -> Iterator[list[ByteRange]]:
    group, size = list[ByteRange](), 0
    for part in ranges:
        if group and (group[0].chain_id != part.chain_id or size + part.length > limit):
            yield group
            group, size = [], 0
        group.append(part)
        size += part.length
    if group:
        yield group


# -- streaming reader
#
# An offset contains the heights read by chain, as ranges (`1-10,12`), and the position in every file, so
# that a batch reads only appended lines. Gaps that are filled later, other chains and new files are
# handled like new heights at the tip. Partial blocks are left out until they are complete.

Offset = dict[str, str]  # `ChainKey` as text -> heights; `FILES` -> positions
FILES = " files"
"""Key of the positions, not a valid chain id. The value is JSON: bytes read (if compressed, size) by path."""


class IbcStreamReader(DataSourceStreamReader):
    """Streaming reader of new blocks."""

    def __init__(self, schema: StructType, options: dict[str, str]) -> None:
        self._reader = IbcReader(schema, options)
        self._latest: Offset = {}

    def initialOffset(self) -> Offset:  # noqa: N802
        """Return the empty offset."""
        return {}

    def latestOffset(self, start: Offset | None = None, limit: "ReadLimit | None" = None) -> Offset:  # noqa: N802
        """Return the offset of all available heights; heights read earlier stay, even if their file is gone.

        PySpark before 4.2 does not pass `start`; the last returned offset is used then.
        """
        del limit  # a batch contains everything available, in as many partitions as needed
        read = self._latest if start is None else start
        known = _heights(read)
        lines, places = self._behind(_places(read), None)
        for line in lines:
            key = str(line.head.chain)
            known[key] = known.get(key, Heights()).adding(line.head.height)
        heights = {key: _written(known[key]) for key in sorted(known)}
        self._latest = heights | ({FILES: json.dumps(places, sort_keys=True)} if places else {})
        return self._latest

    def getDefaultReadLimit(self) -> "ReadLimit":  # noqa: N802
        """Return that there is no limit; not called by PySpark before 4.2."""
        from pyspark.sql.streaming.datasource import ReadAllAvailable

        return ReadAllAvailable()

    def partitions(self, start: Offset, end: Offset) -> Sequence[HeightRange]:
        """Return the partitions of the heights in `end` that are not in `start`."""
        self._latest = self._latest or end  # after a restart, with PySpark before 4.2
        read, wanted = _heights(start), _heights(end)
        chains = Incarnations(ChainKey.parsed(key) for key in wanted)
        before = _by_name(read, chains)
        new = {
            name: heights - before.get(name, Heights()) for name, heights in _by_name(wanted, chains).items()
        }
        lines, _ = self._behind(_places(start), _places(end))
        taken, used = set[tuple[str, int]](), list[tuple[str, FoundLine]]()
        for line in lines:
            place = (chains.name(line.head.chain), line.head.height)
            if place not in taken and line.head.height in new.get(place[0], Heights()):
                taken.add(place)
                used.append((place[0], line))
        return self._reader.grouped(joined(used))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition."""
        return self._reader.read(partition)

    def _behind(
        self, begin: Mapping[str, int], end: Mapping[str, int] | None
    ) -> tuple[list[FoundLine], dict[str, int]]:
        """Return the lines of complete blocks from `begin` to `end` (None: all), and the new positions."""
        lines, places = list[FoundLine](), dict[str, int]()
        for path in sort_files(self._reader.paths()).files:
            name = str(path)
            if end is None or name in end:
                found, places[name] = _lines(path, begin.get(name, 0), None if end is None else end[name])
                lines += found
        return lines, places


def _lines(path: Location, begin: int, end: int | None) -> tuple[list[FoundLine], int]:
    """Return the lines of complete blocks in a part of a file, and the end of its last complete line.

    A compressed file is read from the beginning if its size has changed, a plain file if it has become
    shorter.
    """
    size, packed = path.stat().st_size, is_packed(path)
    place = size if packed else begin if begin <= size else 0
    if packed:
        lines: Iterable[Line] = () if size == begin else read_lines(path)
    else:
        lines = read_lines(path, place, (size if end is None else end) - place)
    found = list[FoundLine]()
    for line in lines:
        if not packed:
            if not line.problem and not line.data.endswith(b"\n"):
                break  # the line is still being written
            place = line.offset + line.size
        try:
            head = line.head()
        except MalformedLine:
            continue  # the height is not known
        if not head.partial:
            found.append(FoundLine(str(path), line.offset, len(line.data), head))
    return found, place


def _places(offset: Offset) -> dict[str, int]:
    return dict(json.loads(offset.get(FILES, "{}")))


def _heights(offset: Offset) -> dict[str, Heights]:
    return {key: _parsed(text) for key, text in offset.items() if key != FILES}


def _by_name(heights: Mapping[str, Heights], chains: Incarnations) -> dict[str, Heights]:
    """Merge heights by the name in the results; lines without an incarnation may belong to a known one."""
    found = dict[str, Heights]()
    for key, some in heights.items():
        name = chains.name(ChainKey.parsed(key))
        found[name] = found.get(name, Heights()) | some
    return found


def _written(heights: Heights) -> str:
    return ",".join(f"{first}-{last}" for first, last in heights.ranges)


def _parsed(text: str) -> Heights:
    pairs = (each.split("-") for each in text.split(",") if each)
    return Heights(tuple((int(first), int(last)) for first, last in pairs))
