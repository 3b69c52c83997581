"""Choice of the query engine: DuckDB in this process for small runs, Spark for large ones and clusters."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pyibc.indexer.engines import Engine, OpenEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

SPARK, LOCAL = "spark", "local"
LOCAL_ROWS = 10_000_000
"""Work in packet events up to which DuckDB is the default: about a minute with two gigabytes of memory.

The work of a run (`lake.before.weighed`) counts the rows it writes and, with a lower weight, those it only
reads: a run that adds a few blocks to a long history is small.
"""


def chosen(
    engine: str | None, master: str | None, tell: "Callable[[str], None]", *, storage: bool = False
) -> OpenEngine:
    """Return a function that opens the requested engine, or without a request one by the size of the run.

    Spark is started once: engines that are opened later share the session. The errors below are raised when
    the function opens an engine.

    Args:
        engine: `SPARK`, `LOCAL` or None for the default; None with a master means Spark.
        master: Spark master URL; None: this machine.
        tell: called with a progress line before Spark is started, which takes a while.
        storage: whether the results are in a bucket.

    Raises:
        ModuleNotFoundError: the engine is not installed.
        EngineFailed: Spark cannot be started.
        StorageMissing: the libraries that Spark needs for a bucket are not available.
    """
    sessions = list["SparkSession"]()  # one at most

    def open_engine(rows: int, scratch: Path) -> Engine:
        small = engine is None and master is None and rows <= LOCAL_ROWS and find_spec("duckdb")
        if engine == LOCAL or small:
            from pyibc.indexer.local_engine import LocalEngine

            return LocalEngine(scratch)
        return _on_spark(sessions, master, tell, rows, storage=storage)

    return open_engine


def _on_spark(
    sessions: "list[SparkSession]",
    master: str | None,
    tell: "Callable[[str], None]",
    rows: int,
    *,
    storage: bool,
) -> Engine:
    """Return an engine in the session in `sessions`; open a session if the list is empty."""
    from pyibc.indexer.connect import is_connect, is_there, public
    from pyibc.indexer.session import DEFAULT_MASTER, open_session
    from pyibc.indexer.spark_engine import SparkEngine
    from pyibc.indexer.spark_errors import failing

    where = master or DEFAULT_MASTER
    with failing():
        if sessions and is_connect(sessions[0]) and not is_there(sessions[0]):
            sessions.pop().stop()  # otherwise `getOrCreate` would return the dead session
        if not sessions:
            tell(f"starting Spark on {public(where)}")
            sessions.append(open_session(where, brief=rows <= LOCAL_ROWS, storage=storage))
        return SparkEngine(sessions[0], rows)
