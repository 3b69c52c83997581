"""PySpark data source `ibc`: packet events of exported blocks.

    pyibc.indexer.register(spark)
    spark.read.format("ibc").load(folder).where("chain = 'osmosis-1' and height >= 30000000")

Options:

- `path` (a file or folder) or `paths` (a JSON list): local paths, and URLs of file systems that PyArrow
  supports, such as `s3://`, `gs://`, `abfss://` and `hdfs://`.
- `rows`: `packets` (default, one row per packet event), `all`, which adds blocks, event counts and problems,
  or `blocks`, one row per block with arrays of all that is in it.
- `partitionBytes` (default 32 MiB).

Planning reads the names and sizes of files only; executors read and decode the lines. Filters on `chain` and
`height` exclude files by their names, and lines before they are parsed. A schema with fewer columns
(`.schema(...)`) creates only these. A block that several files contain is read several times: the pipeline
keeps one of them.

    spark.readStream.format("ibc").option("stateLocation", "/data/ibc-source").load(folder)

streams new lines, also those that are appended to files; at most `maxFilesPerTrigger` files (default 1000)
and, of several files, `maxBytesPerTrigger` bytes (default 16 GiB) per batch. Recordings of nodes are inputs,
too. See `pyibc/indexer/bronze/stream.py` and `pyibc/indexer/bronze/inputs.py`.
"""

from pyspark.sql.datasource import DataSource, DataSourceStreamReader
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from pyibc.indexer.bronze.reader import BlockReader, EventReader
from pyibc.indexer.bronze.records import SCHEMA
from pyibc.indexer.bronze.stream import BlockStreamReader
from pyibc.indexer.rows import DDL


class IbcDataSource(DataSource):
    """`spark.read.format("ibc")`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "ibc"

    def schema(self) -> StructType | str:
        """Return all columns."""
        return from_arrow_schema(SCHEMA) if self._options["rows"] == "blocks" else DDL

    def reader(self, schema: StructType) -> BlockReader:
        """Create a batch reader for the columns of `schema`."""
        options = self._options
        return (BlockReader if options["rows"] == "blocks" else EventReader)(schema, options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Create a streaming reader for the columns of `schema`."""
        return BlockStreamReader(schema, self._options)

    @property
    def _options(self) -> dict[str, str]:
        given = {key.lower(): value for key, value in self.options.items()}
        return {"rows": "packets"} | given
