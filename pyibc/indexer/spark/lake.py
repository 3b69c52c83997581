"""Delta tables of the pipeline, written by Delta Lake for Spark."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pyarrow as pa
import pyspark
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from pyibc.indexer.errors import DeltaMissing, EngineFailed
from pyibc.indexer.pipeline.lake import BatchFunction, Column, Table, exists
from pyibc.indexer.spark.names import schema_problem
from pyibc.indexer.sql import Columns, Dialect
from pyibc.indexer.stores import use_for

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
    array_form="array({})",
)
_JOINED_BYTES = {
    "minFileSize": 8 << 20,
    "maxFileSize": 32 << 20,
}  # smaller files are joined, up to the larger size
PARTITION_ROWS = 500_000  # rows of a shuffle partition, which one task groups in memory

VERSION = "4.4.0"
_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
_WITHOUT_DELTA = re.compile(
    r"\[(DATA_SOURCE_NOT_FOUND|CANNOT_CREATE_DATA_SOURCE_TABLE\.EXTERNAL_METADATA_UNSUPPORTED"
    r"|DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG)\]"
)
"""Conditions of Spark's errors in a session without the library, or without its settings."""
_BACKTICK = re.compile("`")


def delta_settings() -> dict[str, str]:
    """Return the Spark settings that load Delta Lake for the installed PySpark, from Maven Central."""
    release = ".".join(pyspark.__version__.split(".")[:2])
    return {
        "spark.jars.packages": f"io.delta:delta-spark_{release}_2.13:{VERSION}",
        "spark.sql.extensions": _EXTENSION,
        "spark.sql.catalog.spark_catalog": _CATALOG,
    }


def store_options(spark: SparkSession, urls: str | Iterable[str]) -> dict[str, str]:
    """Return the settings of a session for the stores of paths and URLs, as options of the data source `ibc`.

    They are endpoint, region, keys, session token and anonymous access of the buckets (`fs.s3a.`), and the
    keys of accounts (`fs.azure.account.key`). Processes of Spark that read inputs do not see the session's
    settings. This process uses them from now on, too.

    Args:
        spark: a session; of one of Spark Connect, only what `spark.conf.set` has set is known.
        urls: one or several paths or URLs.
    """
    context: Any = SparkContext._active_spark_context  # noqa: SLF001
    hadoop = None if context is None else context._jsc.hadoopConfiguration()  # noqa: SLF001

    def value_of(name: str) -> str | None:
        return spark.conf.get(name, None) or (None if hadoop is None else hadoop.get(name))

    return use_for([urls] if isinstance(urls, str) else urls, value_of)


class SparkLake:
    """Delta tables in a session of Spark.

    Args:
        spark: a session with Delta Lake, for temporary views, too.
        url: folder of the tables.
    """

    def __init__(self, spark: SparkSession, url: str) -> None:
        store_options(spark, url)  # logs of tables are listed by this process, too
        self.spark = spark
        self._url = url.rstrip("/")
        self._views = set[str]()  # names

    @property
    def url(self) -> str:
        """URL of the folder."""
        return self._url

    @property
    def dialect(self) -> Dialect:
        """SQL dialect of Spark."""
        return DIALECT

    def text(self, value: str) -> str:
        """Return a text as a literal of Spark SQL."""
        return sql_text(value)

    def expect(self, rows: int) -> None:
        """Configure the session for a number of rows: few are interpreted by one task, many are compiled."""
        few = rows < FEW
        cores = self.spark.sparkContext.defaultParallelism
        for key, value in {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # has statistics in files
            "spark.sql.shuffle.partitions": str(1 if few else max(cores, -(-rows // PARTITION_ROWS))),
            "spark.sql.adaptive.enabled": "false",  # would run each exchange as a separate job
            "spark.sql.codegen.wholeStage": str(not few).lower(),
            "spark.sql.codegen.factoryMode": "NO_CODEGEN" if few else "FALLBACK",
            "spark.databricks.delta.snapshotPartitions": "1",
        }.items():
            self.spark.conf.set(key, value)

    def at(self, table: Table) -> str:
        """Return the name of a table in SQL."""
        return f"delta.`{_BACKTICK.sub('``', self._path(table))}`"

    def prepare(self, tables: Iterable[Table]) -> None:
        """Create the tables that do not exist, and add the columns that a new release has.

        A table whose columns have other types in a new release is emptied, if it is rebuilt. Columns that
        somebody else added are kept, and stay null in new rows.

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

    def register(self, tables: Iterable[Table], schema: str) -> None:
        """Register tables in the catalog of the session by the last parts of their names.

        Raises:
            EngineFailed: the schema has no valid name, or a name is taken by a table in another place.
        """
        quoted = create_schema(self.spark, schema)
        for table in tables:
            name = f"{quoted}.`{table.name.rpartition('/')[2]}`"
            place = sql_text(self._path(table))
            self.spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING delta LOCATION {place}")
            there, wanted = (
                self.spark.sql(f"DESCRIBE DETAIL {found}").head() for found in (name, self.at(table))
            )
            if there is None or wanted is None or there.location != wanted.location:
                raise EngineFailed("Spark", f"{name} is a table in another place: choose another schema")

    def view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        self.name(name, self.spark.sql(query))

    def name(self, name: str, rows: DataFrame) -> None:
        """Create or replace a temporary view of rows."""
        rows.createOrReplaceTempView(name)
        self._views.add(name)

    def drop_views(self) -> None:
        """Drop the temporary views."""
        for name in self._views:
            self.spark.catalog.dropTempView(name)
        self._views.clear()

    def kept(self, name: str, query: str) -> AbstractContextManager[None]:
        """Create a temporary view whose rows are computed once, until the context ends."""
        return self._persisted(name, self.spark.sql(query))

    def mapped(
        self, name: str, query: str, function: BatchFunction, schema: pa.Schema
    ) -> AbstractContextManager[None]:
        """Create a temporary view of what a function makes of rows, until the context ends."""
        return self._persisted(name, self.spark.sql(query).mapInArrow(function, from_arrow_schema(schema)))

    def keep(self, name: str, query: str) -> None:
        """Create a temporary view whose rows are computed once, for as long as the session lives."""
        self.name(name, self.spark.sql(query).localCheckpoint(eager=False))

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register a small number of rows as the view `name`."""
        self.name(name, broadcast(self._small(columns, rows)))

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result."""
        return self.spark.sql(query).collect()

    def append(self, table: Table, query: str, writer: str, number: int) -> None:
        """Append rows; do nothing if `writer` has appended the batch `number` or a later one already."""
        rows = self.spark.sql(query).select(*table.names)
        if table.sorted_by:
            rows = rows.sortWithinPartitions(*table.sorted_by)
        (
            rows.write.format("delta")
            .mode("append")
            .option("txnAppId", f"{writer}-{table.name}")
            .option("txnVersion", number)
            .save(self._path(table))
        )

    def replace(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        """Replace all rows of a small table."""
        self._small(table.typed, rows).write.format("delta").mode("overwrite").save(self._path(table))

    def overwrite(self, table: Table, query: str, where: str | None) -> None:
        """Replace the rows of a table that fulfil a condition, or all; the new ones fulfil it, too."""
        found = self.spark.sql(query).select(*table.names)
        if table.partitioned_by:
            found = found.repartition(*table.partitioned_by)  # one file each
        rows = found.write.format("delta").mode("overwrite")
        (rows if where is None else rows.option("replaceWhere", where)).save(self._path(table))

    def merge(self, table: Table, query: str, *, within: str = "TRUE") -> None:
        """Insert rows, or update those with the same key, if they differ."""
        same = " AND ".join(f"old.`{name}` = new.`{name}`" for name in table.key)
        others = [name for name in table.names if name not in table.key]
        differ = " OR ".join(f"NOT (old.`{name}` <=> new.`{name}`)" for name in others)
        listed = ", ".join(f"`{name}`" for name in table.names)
        self.spark.sql(
            f"MERGE INTO {self.at(table)} AS old USING ({query}) AS new ON {same} AND ({within})\n"
            f"WHEN MATCHED AND ({differ or 'FALSE'})\n"
            f"  THEN UPDATE SET {', '.join(f'`{name}` = new.`{name}`' for name in others)}\n"
            f"WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({', '.join(f'new.`{n}`' for n in table.names)})"
        )

    def delete(self, table: Table, view: str, condition: str) -> None:
        """Delete the rows, as `old`, for which a row of `view`, as `new`, fulfils a condition."""
        self.spark.sql(
            f"MERGE INTO {self.at(table)} AS old USING {view} AS new ON {condition} WHEN MATCHED THEN DELETE"
        )

    def maintain(self, table: Table) -> None:
        """Join small files of a table. VACUUM is the user's: it prints to the standard output."""
        self.expect(FEW)
        for limit, size in _JOINED_BYTES.items():
            self.spark.conf.set(f"spark.databricks.delta.optimize.{limit}", size)
        self.spark.sql(f"OPTIMIZE {self.at(table)}")

    def _path(self, table: Table) -> str:
        return f"{self._url}/{table.name}"

    def _prepare(self, tables: Iterable[Table]) -> None:
        for table in tables:
            if not exists(self, table):
                self._create(table)
                continue
            found = self.spark.read.format("delta").load(self._path(table)).schema
            there = {field.name: field.dataType.simpleString() for field in found}
            added = [column for column in table.columns if column.name not in there]
            if table.is_rebuilt and any(there.get(c.name, c.type) != c.type for c in table.columns):
                wanted = self.spark.createDataFrame([], _described(table.columns)).schema
                others = [field for field in found if field.name not in table.names]
                empty = self.spark.createDataFrame([], StructType([*wanted, *others]))
                written = empty.write.format("delta").mode("overwrite").partitionBy(*table.partitioned_by)
                written.option("overwriteSchema", "true").save(self._path(table))
            elif added:
                self.spark.sql(f"ALTER TABLE {self.at(table)} ADD COLUMNS ({_described(added)})")

    def _create(self, table: Table) -> None:
        parts = f" PARTITIONED BY ({', '.join(table.partitioned_by)})" if table.partitioned_by else ""
        properties = ", ".join(f"'{key}' = '{value}'" for key, value in table.properties.items())
        self.spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self.at(table)} ({_described(table.columns)}) USING delta{parts}"
            f" COMMENT {sql_text(table.comment)} TBLPROPERTIES ({properties})"
        )

    @contextmanager
    def _persisted(self, name: str, rows: DataFrame) -> Iterator[None]:
        rows = rows.persist()
        try:
            self.name(name, rows)
            yield
        finally:
            rows.unpersist()

    def _small(self, columns: Columns, rows: Iterable[Sequence[Any]]) -> DataFrame:
        """Return rows in memory, in one partition."""
        listed = [tuple(row) for row in rows]
        return self.spark.createDataFrame(listed, ddl_of(columns)).coalesce(1)


def create_schema(spark: SparkSession, schema: str) -> str:
    """Create a schema in the catalog of a session, unless it exists; return its name in SQL.

    Raises:
        EngineFailed: the name has not the form of one.
    """
    if problem := schema_problem(schema):
        raise EngineFailed("Spark", problem)
    quoted = ".".join(f"`{_BACKTICK.sub('``', part)}`" for part in schema.split("."))
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {quoted}")
    return quoted


def _described(columns: Iterable[Column]) -> str:
    return ", ".join(f"`{name}` {kind} COMMENT {sql_text(comment)}" for name, kind, comment in columns)


def ddl_of(columns: Columns) -> str:
    """Return columns as DDL."""
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def sql_text(text: str) -> str:
    """Return a text as a literal of Spark SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
