"""Index as Spark DataFrames, for notebooks and programs."""

from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from pyibc.indexer.answered import IndexFrames
from pyibc.indexer.coverage import coverage_rows
from pyibc.indexer.given import AnyPath, existing, results_folder
from pyibc.indexer.inputs import TABLES
from pyibc.indexer.job import Outcome
from pyibc.indexer.job import index as run_job
from pyibc.indexer.session import open_session, register
from pyibc.indexer.spark_engine import DIALECT, address, literal, on_spark
from pyibc.indexer.storage.locations import Location
from pyibc.indexer.storage.objects import ObjectPath


class Index(IndexFrames[DataFrame]):
    """Index of packets as lazy Spark DataFrames."""

    def __init__(self, spark: SparkSession, folder: Location, outcome: Outcome) -> None:
        """Open the results in `folder`."""
        super().__init__(folder, outcome, DIALECT)
        self.spark = spark

    @property
    def coverage(self) -> DataFrame:
        """One row per range of heights of a chain: `covered`, or a `gap` of missing blocks."""
        rows = coverage_rows(self._outcome.coverage)
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
    """Index `inputs` and return Spark DataFrames; arguments and errors as in `pyibc.index` (`typed.py`)."""
    paths, folder = existing(inputs), results_folder(out)
    session = spark or SparkSession.getActiveSession() or open_session(storage=isinstance(folder, ObjectPath))
    register(session)
    return Index(session, folder, run_job(on_spark(session), paths, folder))
