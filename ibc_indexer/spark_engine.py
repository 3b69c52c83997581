"""Spark as the engine of the index, in a session of its own: the user's keeps its settings."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import SparkSession

from ibc_indexer.connect import is_connect, own_session
from ibc_indexer.engines import Columns, Dialect, OpenEngine, arrow_table
from ibc_indexer.errors import EngineFailed
from ibc_indexer.spark_errors import failing
from ibc_indexer.storage.locations import Location
from ibc_indexer.storage.objects import ObjectPath

_PATTERN = re.compile(r"[\[\]{}*?\\]")
FEW = 200_000  # rows that are faster interpreted than compiled
_ACCURACY = 1_000_000  # of percentiles: exact up to so many values, beyond it one in so many of the rank
DIALECT = Dialect(
    time_type="timestamp",
    time_form="timestamp_micros({} div 1000)",
    micros_form="unix_micros({})",
    percentiles_form=f"percentile_approx({{}}, array({{}}), {_ACCURACY})",
    total_form="try_sum({})",
)
PARTITION_ROWS = 500_000  # of a shuffle; what one task groups in memory


class SparkEngine:
    """Runs queries on Spark."""

    def __init__(self, spark: SparkSession, rows: int) -> None:
        """`rows` is about how many the queries will read: plans are made for them beforehand."""
        with failing():
            self._remote = is_connect(spark)
            self._spark = own_session(spark) if self._remote else spark.newSession()
            self._prepare()
            self._tasks = self._at_once()
            self.expect(rows)

    def _prepare(self) -> None:
        settings = {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.ansi.enabled": "true",
            "spark.sql.adaptive.enabled": "false",  # each exchange would be a job of its own
            "spark.sql.autoBroadcastJoinThreshold": str(64 << 20),
            "spark.sql.maxConcurrentOutputFileWriters": "64",  # rows are not sorted by their file
            "spark.sql.parquet.compression.codec": "zstd",
            "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
            "spark.sql.sources.parallelPartitionDiscovery.threshold": "1024",
        }
        for key, value in settings.items():
            self._spark.conf.set(key, value)

    @property
    def dialect(self) -> Dialect:
        """Spark's."""
        return DIALECT

    @property
    def apart(self) -> bool:
        """Its executors may be anywhere."""
        return True

    def files(self, name: str, columns: Columns, paths: Sequence[Location]) -> None:
        """Makes them a view of the session's."""
        if not paths:
            self.table(name, columns, ())
            return
        places = [literal(self._address(path)) for path in paths]
        with failing():
            read = self._spark.read.schema(_ddl(columns)).parquet(*places)
            read.createOrReplaceTempView(name)

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Calls these rows `name`."""
        whole = arrow_table(columns, rows)
        self._spark.createDataFrame(whole, _ddl(columns)).createOrReplaceTempView(name)

    def rows(self, query: str) -> list[Any]:
        """The answer to a query."""
        with failing():
            return self._spark.sql(query).collect()

    def write(self, query: str, folder: Location) -> None:
        """Writes the answer to a query as Parquet."""
        place = self._address(folder)
        with failing():
            self._spark.sql(query).write.mode("overwrite").parquet(place)

    def write_parts(self, query: str, folder: Location) -> None:
        """Writes the answer to a query as Parquet, by its column `part`."""
        place = self._address(folder)
        with failing():
            self._spark.sql(query).write.partitionBy("part").parquet(place)

    def remove(self, folder: Location) -> None:
        """Removes a folder; in a bucket also the objects of size 0 by which Hadoop knows folders."""
        with failing():
            jvm: Any = self._spark._jvm  # noqa: SLF001
            context = self._spark.sparkContext._jsc  # noqa: SLF001
            path = jvm.org.apache.hadoop.fs.Path(address(folder))
            path.getFileSystem(context.hadoopConfiguration()).delete(path, True)

    def _at_once(self) -> int:
        """How many tasks run at once; a server of Spark Connect tells how many its operator wants."""
        if self._remote:
            return int(self._spark.conf.get("spark.sql.shuffle.partitions") or 1)
        tasks: int = self._spark.sparkContext.defaultParallelism
        return tasks

    def _address(self, place: Location) -> str:
        if self._remote and isinstance(place, ObjectPath):
            raise EngineFailed("Spark Connect", "results in a bucket need Spark's master, or DuckDB")
        return address(place)

    def expect(self, rows: int) -> None:
        """Few rows are faster interpreted by one task than compiled for many."""
        few = rows < FEW
        tasks = max(self._tasks, -(-rows // PARTITION_ROWS))
        for key, value in {
            "spark.sql.shuffle.partitions": str(1 if few else tasks),
            "spark.sql.codegen.wholeStage": str(not few).lower(),
            "spark.sql.codegen.factoryMode": "NO_CODEGEN" if few else "FALLBACK",
        }.items():
            self._spark.conf.set(key, value)


def address(place: Location) -> str:
    """How Spark calls a file or a folder: where it runs, another folder may be the current one."""
    return place.spark if isinstance(place, ObjectPath) else str(place.absolute())


def literal(address: str) -> str:
    """An address that Spark reads as it stands, and not as a pattern of Hadoop's."""
    return _PATTERN.sub(r"\\\g<0>", address)


def _ddl(columns: Columns) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def on_spark(spark: SparkSession) -> OpenEngine:
    """Has Spark answer; on a cluster its workers must see all folders."""
    return lambda rows, _: SparkEngine(spark, rows)
