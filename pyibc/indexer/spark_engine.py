"""Spark as the query engine, in a separate session, so that the settings of the user's session are kept."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import SparkSession

from pyibc.indexer.connect import is_connect, own_session
from pyibc.indexer.engines import Columns, Dialect, OpenEngine, arrow_table
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.spark_errors import failing
from pyibc.indexer.storage.locations import Location
from pyibc.indexer.storage.objects import ObjectPath

_PATTERN = re.compile(r"[\[\]{}*?\\]")
FEW = 200_000  # rows below which interpreted queries are faster than compiled ones
_ACCURACY = 1_000_000  # of percentiles: exact up to this number of values, then with a rank error of 1e-6
DIALECT = Dialect(
    time_type="timestamp",
    time_form="timestamp_micros({} div 1000)",
    micros_form="unix_micros({})",
    percentiles_form=f"percentile_approx({{}}, array({{}}), {_ACCURACY})",
    total_form="try_sum({})",
    each_form="{rows} LATERAL VIEW explode({array}) AS {name}",
    struct_form="named_struct({})",
    field_form="'{name}', {value}",
)
PARTITION_ROWS = 500_000  # rows of a shuffle partition, which one task groups in memory


class SparkEngine:
    """Spark query engine."""

    def __init__(self, spark: SparkSession, rows: int) -> None:
        """Open a session next to `spark`; `rows` is the approximate number of rows that queries will read."""
        with failing():
            self._remote = is_connect(spark)
            self._spark = own_session(spark) if self._remote else spark.newSession()
            self._prepare()
            self._tasks = self._parallelism()
            self.expect(rows)

    def _prepare(self) -> None:
        settings = {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.ansi.enabled": "true",
            "spark.sql.adaptive.enabled": "false",  # would run each exchange as a separate job
            "spark.sql.autoBroadcastJoinThreshold": str(64 << 20),
            "spark.sql.maxConcurrentOutputFileWriters": "64",  # avoids sorting rows by output file
            "spark.sql.parquet.compression.codec": "zstd",
            "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
            "spark.sql.sources.parallelPartitionDiscovery.threshold": "1024",
        }
        for key, value in settings.items():
            self._spark.conf.set(key, value)

    @property
    def dialect(self) -> Dialect:
        """SQL dialect of Spark."""
        return DIALECT

    @property
    def apart(self) -> bool:
        """True: executors may run on other machines."""
        return True

    def files(self, name: str, columns: Columns, paths: Sequence[Location]) -> None:
        """Register the rows of all files as the view `name`."""
        if not paths:
            self.table(name, columns, ())
            return
        places = [literal(self._address(path)) for path in paths]
        with failing():
            read = self._spark.read.schema(_ddl(columns)).parquet(*places)
            read.createOrReplaceTempView(name)

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register rows as the view `name`."""
        whole = arrow_table(columns, rows)
        self._spark.createDataFrame(whole, _ddl(columns)).createOrReplaceTempView(name)

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result."""
        with failing():
            return self._spark.sql(query).collect()

    def write(self, query: str, folder: Location) -> None:
        """Write the result of a query as Parquet."""
        place = self._address(folder)
        with failing():
            self._spark.sql(query).write.mode("overwrite").parquet(place)

    def write_parts(self, query: str, folder: Location) -> None:
        """Write the result of a query as Parquet, partitioned by the column `part`."""
        place = self._address(folder)
        with failing():
            self._spark.sql(query).write.partitionBy("part").parquet(place)

    def remove(self, folder: Location) -> None:
        """Remove a folder; in a bucket including Hadoop's directory markers, objects of size 0."""
        with failing():
            jvm: Any = self._spark._jvm  # noqa: SLF001
            context = self._spark.sparkContext._jsc  # noqa: SLF001
            path = jvm.org.apache.hadoop.fs.Path(address(folder))
            path.getFileSystem(context.hadoopConfiguration()).delete(path, True)

    def _parallelism(self) -> int:
        """Return the number of parallel tasks; for Spark Connect, the server's shuffle partitions."""
        if self._remote:
            return int(self._spark.conf.get("spark.sql.shuffle.partitions") or 1)
        tasks: int = self._spark.sparkContext.defaultParallelism
        return tasks

    def _address(self, place: Location) -> str:
        if self._remote and isinstance(place, ObjectPath):
            raise EngineFailed("Spark Connect", "results in a bucket need a Spark master URL, or DuckDB")
        return address(place)

    def expect(self, rows: int) -> None:
        """Configure the session for a number of rows: few are interpreted by one task, many are compiled."""
        few = rows < FEW
        tasks = max(self._tasks, -(-rows // PARTITION_ROWS))
        for key, value in {
            "spark.sql.shuffle.partitions": str(1 if few else tasks),
            "spark.sql.codegen.wholeStage": str(not few).lower(),
            "spark.sql.codegen.factoryMode": "NO_CODEGEN" if few else "FALLBACK",
        }.items():
            self._spark.conf.set(key, value)


def address(place: Location) -> str:
    """Return the URL of a file or folder for Spark.

    A path would be looked up in Spark's working folder and in its default file system, which may be HDFS.
    Like Spark's own, the URL of a file is not percent-encoded.
    """
    return place.spark if isinstance(place, ObjectPath) else f"file://{place.absolute()}"


def literal(address: str) -> str:
    """Escape an address, so that Spark does not interpret it as a Hadoop glob pattern."""
    return _PATTERN.sub(r"\\\g<0>", address)


def _ddl(columns: Columns) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def on_spark(spark: SparkSession) -> OpenEngine:
    """Return a function that opens Spark engines; the workers of a cluster must share all folders."""
    return lambda rows, _: SparkEngine(spark, rows)
