"""The PySpark data source `ibc`: packet events of exported blocks.

    spark.dataSource.register(IbcDataSource)
    spark.read.format("ibc").load(folder).where("chain = 'osmosis-1' and height >= 30000000")

Options: `path` (a file or folder) or `paths` (a JSON list); `rows`: `packets` (default) or `all`, which adds
blocks, counts of event types and problems; `partitionBytes` (default 32 MiB). A partition is a range of
heights of one chain; filters on `chain` and `height` choose partitions before anything is read and lines
before they are parsed. A schema with fewer columns (`.schema(...)`) makes only those. Workers import this
package; where it is not installed, `session.open_session` sends it to them. `stream` reads what comes.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from ibc_indexer.block_files import Line, read_lines
from ibc_indexer.chain_rows import chain_rows
from ibc_indexer.errors import MalformedLine, NothingToIndex
from ibc_indexer.lines import decode_line
from ibc_indexer.pushdown import Bounds
from ibc_indexer.rows import DDL, PROBLEM, Row, count_events, count_rows, rows_of
from ibc_indexer.scan import ByteRange, Skipped, scan_paths

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter

BATCH_ROWS = 8192
PARTITION_BYTES = 32 << 20


class HeightRange(InputPartition):
    """Byte ranges of one chain whose heights follow each other; or what was found to be unreadable."""

    def __init__(self, ranges: Sequence[ByteRange], problems: Sequence[Skipped] = ()) -> None:
        super().__init__(None)
        self.ranges = tuple(ranges)
        self.problems = tuple(problems)


class IbcDataSource(DataSource):
    """`spark.read.format("ibc")`."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "ibc"

    def schema(self) -> str:
        """All columns."""
        return DDL

    def reader(self, schema: StructType) -> "IbcReader":
        """A reader that makes the columns of `schema`."""
        return IbcReader(schema, dict(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """A reader of what comes, that makes the columns of `schema`."""
        from ibc_indexer.stream import IbcStreamReader  # it imports this module

        return IbcStreamReader(schema, dict(self.options))


class IbcReader(DataSourceReader):
    """Reads the lines that pass the pushed filters."""

    def __init__(self, schema: StructType, options: dict[str, str]) -> None:
        self._schema = schema
        self._paths = _paths_of(options)
        self._everything = options.get("rows", "packets") == "all"
        self._partition_bytes = int(
            options.get("partitionbytes") or options.get("partitionBytes") or PARTITION_BYTES
        )
        self._bounds = Bounds()

    def pushFilters(self, filters: "list[Filter]") -> "Iterable[Filter]":  # noqa: N802
        """Takes the filters on `chain` and `height`; returns the others for Spark to apply.

        PySpark 4.0 does not call it: there Spark applies all of them to what was read.
        """
        self._bounds, rest = Bounds.of(filters)
        return rest

    def partitions(self) -> Sequence[HeightRange]:
        """Ranges of heights, each about `partitionBytes` large.

        Raises:
            NothingToIndex: a path is not there.
        """
        found = scan_paths(self.paths())
        parts = self.grouped([part for part in found.ranges if self._bounds.overlaps(part)])
        if self._everything and found.skipped and self._bounds == Bounds():  # of no chain, of no height
            parts.append(HeightRange((), found.skipped))
        return parts or [HeightRange(())]  # Spark reads one partition of its own making where it gets none

    def paths(self) -> list[Path]:
        """The files and folders that are read.

        Raises:
            NothingToIndex: one is not there.
        """
        for path in self._paths:
            if not path.exists():
                raise NothingToIndex(f"no such file or folder: {path}")
        return self._paths

    def grouped(self, ranges: Iterable[ByteRange]) -> list[HeightRange]:
        """The ranges as partitions."""
        ordered = sorted(ranges, key=lambda part: (part.chain_id, part.first))
        return [HeightRange(group) for group in _grouped(ordered, self._partition_bytes)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one partition."""
        schema = to_arrow_schema(self._schema)
        pick = itemgetter(
            *(Row._fields.index(name) for name in schema.names), 0
        )  # at least two: always a tuple
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
    if "paths" in options:
        return [Path(path) for path in json.loads(options["paths"])]
    if "path" not in options:
        raise NothingToIndex("the data source ibc needs a path")
    return [Path(options["path"].removeprefix("file:"))]


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
