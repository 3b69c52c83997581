"""The index as Spark DataFrames, for notebooks and programs."""

from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from ibc_indexer.answered import Answered
from ibc_indexer.coverage import told
from ibc_indexer.given import AnyPath, existing, results_folder
from ibc_indexer.inputs import TABLES
from ibc_indexer.job import Outcome
from ibc_indexer.job import index as run_job
from ibc_indexer.session import open_session
from ibc_indexer.source import IbcDataSource
from ibc_indexer.spark_engine import DIALECT, address, literal, on_spark
from ibc_indexer.storage.locations import Location
from ibc_indexer.storage.objects import ObjectPath


class Index(Answered[DataFrame]):
    """Where every packet is, as Spark's DataFrames. They are lazy: Spark reads when they are used."""

    def __init__(self, spark: SparkSession, folder: Location, outcome: Outcome) -> None:
        """`folder` holds the results."""
        super().__init__(folder, outcome, DIALECT)
        self.spark = spark

    @property
    def coverage(self) -> DataFrame:
        """As `Answered.coverage`."""
        rows = told(self._outcome.coverage)
        ddl = "chain string, incarnation string, first bigint, last bigint, kind string"
        return self.spark.createDataFrame(rows, ddl)

    def _table(self, name: str) -> DataFrame:
        return self.spark.read.parquet(literal(address(self.folder / name)))

    def _answer(self, query: str) -> DataFrame:
        tables: dict[str, Any] = {name: self._table(name) for name in TABLES}
        named = ", ".join(f"{name} AS (SELECT * FROM {{{name}}})" for name in TABLES)
        asked = query.format(packets="packets", transactions="transactions")
        return self.spark.sql(f"WITH {named} SELECT * FROM ({asked}) AS answer", **tables)


def index(
    inputs: AnyPath | Iterable[AnyPath], out: AnyPath | None = None, spark: SparkSession | None = None
) -> Index:
    """`pyibc.index` with Spark's frames; its arguments and errors are there (`typed.py`)."""
    paths, folder = existing(inputs), results_folder(out)
    session = spark or SparkSession.getActiveSession() or open_session(storage=isinstance(folder, ObjectPath))
    session.dataSource.register(IbcDataSource)
    return Index(session, folder, run_job(on_spark(session), paths, folder))
