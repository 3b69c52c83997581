"""Index as Spark DataFrames, for notebooks and programs."""

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from pyibc.indexer.blocks.coverage import coverage_rows
from pyibc.indexer.frames import COVERAGE, IndexFrames
from pyibc.indexer.job import index as run_job
from pyibc.indexer.job import result_views
from pyibc.indexer.locations import AnyPath, existing, results_folder
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.spark.lake import DIALECT, ddl_of
from pyibc.indexer.spark.run import SparkEngine
from pyibc.indexer.spark.session import open_session, register


class Index(IndexFrames[DataFrame]):
    """Index of packets as lazy Spark DataFrames.

    The attribute `spark` is a session of its own, in which the tables are temporary views.
    """

    def __init__(self, spark: SparkSession, folder: str, outcome: Outcome) -> None:
        """Open the results in `folder`."""
        super().__init__(folder, outcome, DIALECT)
        self.spark = result_views(spark, folder)

    @property
    def coverage(self) -> DataFrame:
        """One row per range of heights of a chain: `covered`, or a `gap` of missing blocks."""
        return self.spark.createDataFrame(coverage_rows(self._outcome.coverage), ddl_of(COVERAGE))

    def _answer(self, query: str) -> DataFrame:
        return self.spark.sql(query)


def index(
    inputs: AnyPath | Iterable[AnyPath], out: AnyPath | None = None, spark: SparkSession | None = None
) -> Index:
    """Index `inputs` on Spark, as `pyibc.index` with `frames="spark"`, and return lazy DataFrames.

    Tables, summary.json and report.html are written to `out`; None: a temporary folder, deleted at exit.
    `spark` is the session to use; None: the active one, or a new local one. Raises as `pyibc.index`.
    """
    paths, folder = existing(inputs), results_folder(out)
    session = spark or SparkSession.getActiveSession() or open_session()
    register(session)
    return Index(session, folder, run_job(SparkEngine(session), paths, folder))
