"""Runs of the index from inputs to the report, on either engine, and access to their results."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pyibc.indexer.locations import AnyPath, folder_here
from pyibc.indexer.pipeline.lake import Engine
from pyibc.indexer.pipeline.places import results_url
from pyibc.indexer.pipeline.report import Ask, Outcome, check_written, open_views, write_report_of
from pyibc.indexer.pipeline.tables import TABLES
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions
from pyibc.indexer.spark.java import held_back

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyspark.sql import SparkSession

SPARK, LOCAL = "spark", "local"
Tell = Callable[[str], None]


def chosen(engine: str | None, master: str | None, tell: Tell, *, quiet: bool = False) -> Engine:
    """Open an engine.

    Args:
        engine: `SPARK`, `LOCAL` or None; None with a master, or without DuckDB, means Spark.
        master: Spark master URL; None: this machine.
        tell: called with a progress line before Spark is started, which takes a while.
        quiet: hold back what this process and Spark print to standard error while Spark starts.

    Raises:
        ModuleNotFoundError: the engine is not installed.
        EngineFailed: Spark cannot be started.
    """
    if engine == LOCAL or (engine is None and master is None and find_spec("duckdb")):
        from pyibc.indexer.local.run import LocalEngine

        return LocalEngine()
    from pyibc.indexer.spark.run import SparkEngine
    from pyibc.indexer.spark.session import DEFAULT_MASTER, failing, open_session

    where = master or DEFAULT_MASTER
    tell(f"starting Spark on {where}")
    with failing(), held_back() if quiet else nullcontext():
        return SparkEngine(open_session(where, brief=True))


def index(
    engine: Engine,
    inputs: Iterable[AnyPath],
    out: AnyPath,
    tell: Tell = lambda _: None,
    options: ReportOptions = DEFAULT_OPTIONS,
    ask: Ask = lambda _lake, _tips: None,
) -> Outcome:
    """Bring the tables in `out` up to date with `inputs`, and write `summary.json` and `report.html`.

    Only what is new in the inputs is read. Blocks stay in the tables if their file is removed.

    Args:
        engine: what runs the pipeline.
        inputs: paths and URLs of exports, recordings and packet tables; what cannot be read of them is listed
            in the summary.
        out: folder of the results, created if absent. After a kill, the next run completes it.
        tell: called with one line per step.
        options: time window and names of assets in the report.
        ask: runs additional queries; their result is `asked` of the outcome.

    Raises:
        IndexBusy: another run writes to `out`.
        FolderUnwritable: `out` cannot be created or written to.
        FileNotFoundError: an input does not exist, for example because a disk is not mounted.
        UnusableFolder: table libraries would misinterpret the name of the folder.
        IndexerError: the engine failed.
    """
    tell("reading new blocks")
    engine.run(inputs, out)
    tell("running the report queries")
    with engine.open(out) as lake:
        return write_report_of(lake, options=options, ask=ask)


def result_views(spark: "SparkSession", out: AnyPath, *, registry: AnyPath | None = None) -> "SparkSession":
    """Return a new session that has the tables of the results as temporary views.

    They are `packets`, `transfers`, `calls`, `call_messages`, `blocks`, `events`, `transactions`, `messages`,
    `clients`, `channels` and `chains`, with the columns that `pyibc index` gives them.

    Args:
        spark: a session with Delta Lake.
        out: path or URL of the folder in which a pipeline keeps its tables.
        registry: the user's file with names and lineages of chains, as given to the pipeline.

    Raises:
        NoResults: no pipeline has written to the folder.
    """
    from pyibc.indexer.spark.lake import SparkLake

    lake = SparkLake(spark.newSession(), results_url(out))
    open_views(lake, registry)
    return lake.spark


def prepare_schema(spark: "SparkSession", schema: str) -> None:
    """Create the schema for `register_tables`, so that a name that Spark refuses is known before a run.

    Raises:
        EngineFailed: Spark refuses it.
    """
    from pyibc.indexer.spark.lake import create_schema
    from pyibc.indexer.spark.session import failing

    with failing():
        create_schema(spark, schema)


def register_tables(spark: "SparkSession", out: AnyPath, schema: str) -> None:
    """Register the Delta tables of a pipeline in the catalog of a session, as `schema.packets` and so on.

    The tables stay where they are. They are registered once: later batches and columns are seen by their
    names, too. To drop a name does not delete its table.

    Args:
        spark: a session with Delta Lake, in whose catalog the names are kept.
        out: path or URL of the folder in which a pipeline keeps its tables.
        schema: schema of the names, created if absent; in Unity Catalog with the catalog: `main.chain_data`.

    Raises:
        NoResults: no pipeline has written to the folder.
        EngineFailed: a name is taken by a table in another place, or Spark refuses it.
    """
    from pyibc.indexer.spark.lake import SparkLake
    from pyibc.indexer.spark.session import failing

    lake = SparkLake(spark, results_url(out))
    check_written(lake)
    with failing():
        lake.register(TABLES, schema)


def open_results(out: AnyPath, *, registry: AnyPath | None = None) -> "DuckDBPyConnection":
    """Return a connection of DuckDB that has the tables of the results as views, as `result_views` does.

    The tables are read as they are now: open them anew to see later batches.

    Args:
        out: folder of this machine in which a pipeline keeps its tables.
        registry: the user's file with names and lineages of chains, as given to the pipeline.

    Raises:
        NoResults: no pipeline has written to the folder.
        EngineFailed: the tables cannot be read, or need a feature that only Spark has.
    """
    from pyibc.indexer.local.lake import LocalLake

    lake = LocalLake(folder_here(out))
    open_views(lake, registry)
    return lake.connection


def write_results(
    out: AnyPath,
    *,
    spark: "SparkSession | None" = None,
    registry: AnyPath | None = None,
    options: ReportOptions = DEFAULT_OPTIONS,
) -> Outcome:
    """Write `summary.json` and `report.html` beside the tables of a pipeline.

    Args:
        out: path or URL of the folder in which a pipeline keeps its tables.
        spark: a session with Delta Lake; None: DuckDB reads the tables, which are on this machine.
        registry: the user's file with names and lineages of chains, as given to the pipeline.
        options: time window and names of assets in the report.

    Raises:
        NoResults: no pipeline has written to the folder.
    """
    if spark is not None:
        from pyibc.indexer.spark.lake import SparkLake

        return write_report_of(SparkLake(spark.newSession(), results_url(out)), registry, options)
    from pyibc.indexer.local.lake import LocalLake

    return write_report_of(LocalLake(folder_here(out)), registry, options)
