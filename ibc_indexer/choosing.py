"""Which engine answers: DuckDB in this process for what one machine holds, Spark above it and on clusters."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ibc_indexer.engines import Engine, OpenEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

SPARK, LOCAL = "spark", "local"
LOCAL_ROWS = 10_000_000
"""Packet events of work up to which DuckDB is taken unless told: a minute in two gigabytes of memory.

What counts is what a run makes and, less, what it looks at (`lake.before.weighed`): one that adds to a long
history is small.
"""


def chosen(
    engine: str | None, master: str | None, tell: "Callable[[str], None]", *, storage: bool = False
) -> OpenEngine:
    """Opens the engine that was asked for; where none was, one by the work of the run.

    Spark is started once: who opens again has an engine in the same session.

    Args:
        engine: `SPARK`, `LOCAL` or None; None with a master is Spark.
        master: Spark's master; None: this machine.
        tell: hears that a JVM is started, which takes a while.
        storage: the results are in a bucket.

    Raises:
        ModuleNotFoundError: (when it opens) the engine is not installed.
        EngineFailed: (when it opens) Spark cannot be started.
        StorageMissing: (when it opens) what Spark needs for a bucket cannot be had.
    """
    sessions = list["SparkSession"]()  # one at most

    def open_engine(rows: int, scratch: Path) -> Engine:
        small = engine is None and master is None and rows <= LOCAL_ROWS and find_spec("duckdb")
        if engine == LOCAL or small:
            from ibc_indexer.local_engine import LocalEngine

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
    """An engine in the one session of `sessions`, which is opened if there is none."""
    from ibc_indexer.connect import is_connect, is_there, public
    from ibc_indexer.session import DEFAULT_MASTER, open_session
    from ibc_indexer.spark_engine import SparkEngine
    from ibc_indexer.spark_errors import failing

    where = master or DEFAULT_MASTER
    with failing():
        if sessions and is_connect(sessions[0]) and not is_there(sessions[0]):
            sessions.pop().stop()  # or the next would be the same
        if not sessions:
            tell(f"starting Spark on {public(where)}")
            sessions.append(open_session(where, brief=rows <= LOCAL_ROWS, storage=storage))
        return SparkEngine(sessions[0], rows)
