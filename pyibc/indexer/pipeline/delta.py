"""Delta tables of the pipeline, written by Delta Lake for Spark."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import max as spark_max
from pyspark.sql.functions import min as spark_min

from pyibc.indexer.engines import Columns
from pyibc.indexer.errors import DeltaMissing
from pyibc.indexer.spark_engine import FEW, PARTITION_ROWS

VERSION = "4.4.0"
_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
_PROPERTIES = {
    "delta.enableChangeDataFeed": "true",
    "delta.enableDeletionVectors": "false",  # readers other than Spark need not support them
    "delta.deletedFileRetentionDuration": "interval 7 days",  # for VACUUM, and readers of old versions
    "delta.logRetentionDuration": "interval 30 days",
    "delta.checkpointInterval": "50",  # writing one costs several times what a commit costs
}
_WITHOUT_DELTA = re.compile(
    r"\[(DATA_SOURCE_NOT_FOUND|CANNOT_CREATE_DATA_SOURCE_TABLE\.EXTERNAL_METADATA_UNSUPPORTED"
    r"|DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG)\]"
)
"""Conditions of Spark's errors in a session without the library, or without its settings."""
MOST_SPANS = 200
_BACKTICK = re.compile("`")


def delta_settings() -> dict[str, str]:
    """Return the Spark settings that load Delta Lake for the installed PySpark, from Maven Central."""
    release = ".".join(pyspark.__version__.split(".")[:2])
    return {
        "spark.jars.packages": f"io.delta:delta-spark_{release}_2.13:{VERSION}",
        "spark.sql.extensions": _EXTENSION,
        "spark.sql.catalog.spark_catalog": _CATALOG,
    }


class Column(NamedTuple):
    """Column of a table."""

    name: str
    type: str  # of Spark SQL
    comment: str = ""


class Table(NamedTuple):
    """Definition of a Delta table."""

    name: str  # also its folder
    comment: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()  # primary key
    cluster_by: tuple[str, ...] = ()
    filtered: tuple[str, ...] = ()  # other columns with file statistics, by which readers leave out files
    partitioned_by: tuple[str, ...] = ()  # instead of clusters: both together are not possible

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def properties(self) -> dict[str, str]:
        """Delta properties: statistics are kept for the columns that queries filter by."""
        wanted = dict.fromkeys((*self.cluster_by, *self.key, *self.filtered))
        booleans = {column.name for column in self.columns if column.type == "boolean"}
        columns = [name for name in wanted if name not in booleans]  # Delta keeps none for booleans
        return _PROPERTIES | ({"delta.dataSkippingStatsColumns": ",".join(columns)} if columns else {})

    @property
    def ddl(self) -> str:
        """Columns as DDL."""
        return ddl_of(tuple(column[:2] for column in self.columns))


class Lake:
    """Folder with the Delta tables of the pipeline."""

    def __init__(self, spark: SparkSession, url: str) -> None:
        self.spark = spark
        self.url = url.rstrip("/")

    def expect(self, rows: int) -> None:
        """Configure the session for a number of rows: few are interpreted by one task, many are compiled."""
        few = rows < FEW
        cores = self.spark.sparkContext.defaultParallelism
        for key, value in {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": str(1 if few else max(cores, -(-rows // PARTITION_ROWS))),
            "spark.sql.adaptive.enabled": "false",  # would run each exchange as a separate job
            "spark.sql.codegen.wholeStage": str(not few).lower(),
            "spark.sql.codegen.factoryMode": "NO_CODEGEN" if few else "FALLBACK",
            "spark.databricks.delta.snapshotPartitions": "1" if few else str(cores),
        }.items():
            self.spark.conf.set(key, value)

    def at(self, table: Table) -> str:
        """Return the name of a table in SQL."""
        return f"delta.`{_BACKTICK.sub('``', self.path(table))}`"

    def path(self, table: Table) -> str:
        """Return the URL of a table's folder."""
        return f"{self.url}/{table.name}"

    def prepare(self, tables: Iterable[Table]) -> None:
        """Create the tables that do not exist, and add the columns that a new release has.

        Columns that somebody else added are kept, and stay null in new rows.

        Raises:
            DeltaMissing: the session was started without Delta Lake, or without its settings.
        """
        try:
            self._prepare(tables)
        except (PySparkException, Py4JJavaError) as error:
            found = _WITHOUT_DELTA.search(str(error))
            if found is None:
                raise
            wanted = delta_settings()
            packages = f"--packages {wanted.pop('spark.jars.packages')}"
            settings = " ".join((packages, *(f"--conf {key}={value}" for key, value in wanted.items())))
            raise DeltaMissing(found[1], settings) from error

    def _prepare(self, tables: Iterable[Table]) -> None:
        for table in tables:
            columns = ", ".join(
                f"`{name}` {kind} COMMENT {sql_text(comment)}" for name, kind, comment in table.columns
            )
            clustered = f" CLUSTER BY ({', '.join(table.cluster_by)})" if table.cluster_by else ""
            if table.partitioned_by:
                clustered = f" PARTITIONED BY ({', '.join(table.partitioned_by)})"
            properties = ", ".join(f"'{key}' = '{value}'" for key, value in table.properties.items())
            self.spark.sql(
                f"CREATE TABLE IF NOT EXISTS {self.at(table)} ({columns}) USING delta{clustered}"
                f" COMMENT {sql_text(table.comment)} TBLPROPERTIES ({properties})"
            )
            there = set(self.read(table).columns)
            added = [column for column in table.columns if column.name not in there]
            if added:
                listed = ", ".join(f"`{c.name}` {c.type} COMMENT {sql_text(c.comment)}" for c in added)
                self.spark.sql(f"ALTER TABLE {self.at(table)} ADD COLUMNS ({listed})")

    def read(self, table: Table) -> DataFrame:
        """Return the rows of a table."""
        return self.spark.read.format("delta").load(self.path(table))

    def rows(self, table: Table, where: str = "TRUE") -> list[Any]:
        """Return the rows of a small table in memory."""
        return self.read(table).where(where).select(*table.names).collect()

    def append(self, table: Table, rows: DataFrame, writer: str, number: int) -> None:
        """Append rows; do nothing if `writer` has appended the batch `number` or a later one already."""
        (
            rows.select(*table.names)
            .write.format("delta")
            .mode("append")
            .option("txnAppId", f"{writer}-{table.name}")
            .option("txnVersion", number)
            .save(self.path(table))
        )

    def within(self, rows: DataFrame, column: str, alias: str) -> str:
        """Return a condition on `column` and `sequence` that rows fulfil, by which Delta leaves out files.

        It has the lowest and highest sequence for each value of `column`, of `MOST_SPANS` at most.
        """
        found = rows.groupBy(column).agg(spark_min("sequence"), spark_max("sequence"))
        spans = found.limit(MOST_SPANS + 1).collect()
        if len(spans) > MOST_SPANS:
            return "TRUE"
        conditions = (
            f"({alias}.`{column}` = {sql_text(value) if isinstance(value, str) else value}"
            f" AND {alias}.sequence BETWEEN {first} AND {last})"
            for value, first, last in spans
        )
        return " OR ".join(conditions) or "FALSE"

    def merge(self, table: Table, rows: DataFrame, *, within: str = "TRUE") -> None:
        """Insert rows, or update those with the same key, if they differ.

        Args:
            table: the table, which has a key.
            rows: at most one row per key.
            within: condition on the columns of the table, as `old`, that its rows with these keys fulfil: it
                spares Delta to read other files.
        """
        rows.createOrReplaceTempView("merged_rows")
        same = " AND ".join(f"old.`{name}` <=> new.`{name}`" for name in table.key)
        others = [name for name in table.names if name not in table.key]
        differ = " OR ".join(f"NOT (old.`{name}` <=> new.`{name}`)" for name in others)
        listed = ", ".join(f"`{name}`" for name in table.names)
        self.execute(
            f"MERGE INTO {self.at(table)} AS old USING merged_rows AS new ON {same} AND ({within})\n"
            f"WHEN MATCHED AND ({differ or 'FALSE'})\n"
            f"  THEN UPDATE SET {', '.join(f'`{name}` = new.`{name}`' for name in others)}\n"
            f"WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({', '.join(f'new.`{n}`' for n in table.names)})"
        )

    def execute(self, statement: str) -> None:
        """Run a statement that writes."""
        self.spark.sql(statement)

    def replace(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        """Replace all rows of a small table."""
        self.table_of(table.ddl, rows).write.format("delta").mode("overwrite").save(self.path(table))

    def table_of(self, columns: str, rows: Sequence[tuple[object, ...]]) -> DataFrame:
        """Return a small DataFrame of rows in memory, in one partition."""
        return self.spark.createDataFrame(list(rows), columns).coalesce(1)


def ddl_of(columns: Columns) -> str:
    """Return columns as DDL."""
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def sql_text(text: str) -> str:
    """Return a text as a literal of Spark SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
