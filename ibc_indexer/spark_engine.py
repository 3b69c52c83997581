"""Spark as the engine of the index, in a session of its own: the user's keeps its settings."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from ibc_indexer.engines import Columns, Dialect, arrow_table
from ibc_indexer.packet_table import COLUMNS

FEW = 200_000  # rows that are faster interpreted than compiled
PARTITION_ROWS = 500_000  # of a shuffle; what one task groups in memory


class SparkEngine:
    """Runs queries on Spark."""

    def __init__(self, spark: SparkSession, rows: int) -> None:
        """`rows` is about how many the queries will read: plans are made for them beforehand."""
        self._spark = spark.newSession()
        tasks = max(spark.sparkContext.defaultParallelism, -(-rows // PARTITION_ROWS))
        settings = {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.ansi.enabled": "true",
            "spark.sql.adaptive.enabled": "false",  # each exchange would be a job of its own
            "spark.sql.shuffle.partitions": str(1 if rows < FEW else tasks),
            "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
            "spark.sql.sources.parallelPartitionDiscovery.threshold": "1024",
        }
        if rows < FEW:
            settings |= {
                "spark.sql.codegen.wholeStage": "false",
                "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            }
        for key, value in settings.items():
            self._spark.conf.set(key, value)

    @property
    def dialect(self) -> Dialect:
        """Spark's."""
        return Dialect(moment="timestamp_micros({} div 1000)")

    def files(self, name: str, columns: Columns, paths: Sequence[Path]) -> None:
        """Calls the rows of all files `name`."""
        if not paths:
            self.table(name, columns, ())
            return
        read = self._spark.read.schema(_ddl(columns)).parquet(*map(str, paths))
        read.createOrReplaceTempView(name)

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Calls these rows `name`."""
        whole = arrow_table(columns, rows)
        self._spark.createDataFrame(whole, _ddl(columns)).createOrReplaceTempView(name)

    def packets(self, folder: Path) -> DataFrame:
        """The packet table that was written into `folder`."""
        return self._spark.read.schema(_ddl(COLUMNS)).parquet(str(folder))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The answer to a query."""
        return [tuple(row) for row in self._spark.sql(query).collect()]

    def write(self, query: str, folder: Path) -> None:
        """Writes the answer to a query as Parquet."""
        self._spark.sql(query).write.mode("overwrite").parquet(str(folder))


def _ddl(columns: Columns) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)
