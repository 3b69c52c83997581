"""PySpark data source `ibc`: packet events of exported blocks.

    pyibc.indexer.register(spark)
    spark.read.format("ibc").option("chains", "osmosis-1").option("firstHeight", 30000000).load(folder)

Options:

- `path` (a file or folder) or `paths` (a JSON list): local paths, and URLs of file systems that PyArrow
  supports, such as `s3://`, `gs://`, `abfss://` and `hdfs://`. They may have the wildcards of Spark.
- `rows`: `packets` (default), one row per packet event, or `blocks`, one row per block with arrays of all
  that is in it, and what could not be read.
- `chains` (an id, or a JSON list), `firstHeight`, `lastHeight`: bounds, which exclude files by their names,
  and lines before they are parsed.
- `partitionBytes` (default 128 MiB): most bytes of a partition.
- `minPartitions` (default 32): number of partitions, unless they had fewer than 8 MiB.
- settings of Hadoop's connectors for stores, such as `fs.s3a.access.key` (`pyibc.indexer.store_options`).

Planning reads the names and sizes of files only; executors read and decode the lines. Filters of queries are
not pushed down: Spark 4.1 and 4.2 keep pushed filters with the relation, so that all queries of a DataFrame
would read the rows of the filter that was pushed last. A schema with fewer columns (`.schema(...)`) creates
only these. A block that several files contain is read several times: the pipeline keeps one of them.

    spark.readStream.format("ibc").option("stateLocation", "/data/ibc-source").load(folder)

streams new lines, also those that are appended to files; at most `maxFilesPerTrigger` files (default 1000)
and, of several files, `maxBytesPerTrigger` bytes (default 16 GiB) per batch. Recordings of nodes are inputs,
too. See `pyibc/indexer/bronze/stream.py` and `pyibc/indexer/bronze/inputs.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from pyibc.indexer.bronze.reader import BlockReader, Ranges
from pyibc.indexer.bronze.records import EVENTS, SCHEMA
from pyibc.indexer.bronze.stream import FIRST, BlockStreamReader, Offset
from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.stores import set_settings

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import ReadLimit

try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow as _AvailableNow
except ImportError:  # PySpark before 4.2, where such a run has one batch

    class _AvailableNow:  # type: ignore[no-redef]
        pass


class IbcDataSource(DataSource):
    """`spark.read.format("ibc")`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "ibc"

    def schema(self) -> StructType:
        """Return all columns, of which the user may choose some by `.schema(...)`."""
        return from_arrow_schema(SCHEMA if self._options.get("rows") == "blocks" else EVENTS)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Create a batch reader for the columns of `schema`."""
        set_settings(self._options)
        reader = BlockReader(self._columns(schema), self._options, is_strict=True)
        return BatchReader(reader, self._options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Create a streaming reader for the columns of `schema`."""
        set_settings(self._options)
        return StreamReader(BlockStreamReader(self._columns(schema), self._options), self._options)

    def _columns(self, schema: StructType) -> pa.Schema:
        known = {field.name: field.dataType.simpleString() for field in self.schema()}
        for field in schema:
            name, kind = field.name, field.dataType.simpleString()
            if name not in known:
                raise UnreadableInput(f"there is no column {name[:64]!r}, but {', '.join(known)}")
            if kind != known[name]:
                raise UnreadableInput(f"the column {name} is {known[name]}, and not {kind[:64]}")
        return to_arrow_schema(schema)

    @property
    def _options(self) -> dict[str, str]:
        return {key.lower(): value for key, value in self.options.items()}


class BatchReader(DataSourceReader):
    """Batch reader as Spark calls it."""

    def __init__(self, reader: BlockReader, options: dict[str, str]) -> None:
        self._reader, self._options = reader, options

    def partitions(self) -> Sequence[InputPartition]:
        """Return the partitions; without any, Spark would read one of its own."""
        return _partitions(self._reader.partitions() or [()])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition."""
        set_settings(self._options)
        return self._reader.read(partition.value)


class StreamReader(DataSourceStreamReader, _AvailableNow):
    """Streaming reader as Spark calls it."""

    def __init__(self, reader: BlockStreamReader, options: dict[str, str]) -> None:
        self._reader, self._options = reader, options

    def initialOffset(self) -> Offset:  # noqa: N802
        """Return the offset before the first batch."""
        return FIRST

    def latestOffset(self, start: Offset | None = None, limit: "ReadLimit | None" = None) -> Offset:  # noqa: N802
        """Return the offset of the next batch. PySpark before 4.2 passes no arguments."""
        most = getattr(limit, "max_files", None) if limit is not None else self._reader.max_files
        return self._reader.next_offset(start, most)

    def getDefaultReadLimit(self) -> "ReadLimit":  # noqa: N802
        """Return the limit in files; not called by PySpark before 4.2."""
        from pyspark.sql.streaming.datasource import ReadMaxFiles

        return ReadMaxFiles(self._reader.max_files)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """List the files that a run with an end reads; what comes later is for the next run."""
        self._reader.list_files()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Return the partitions of a batch."""
        return _partitions(self._reader.partitions(start, end) or [()] if start != end else [])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition."""
        set_settings(self._options)
        return self._reader.read(partition.value)

    def commit(self, end: Offset) -> None:
        """Remove what no batch needs any more."""
        self._reader.commit(end)


def _partitions(found: "Iterable[Ranges]") -> list[InputPartition]:
    return [InputPartition(ranges) for ranges in found]
