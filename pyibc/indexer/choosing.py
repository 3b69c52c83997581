"""Choice of the engine: DuckDB in this process, or Spark."""

from collections.abc import Callable
from contextlib import nullcontext
from importlib.util import find_spec

from pyibc.indexer.jvm_output import held_back
from pyibc.indexer.pipeline.lake import Engine

SPARK, LOCAL = "spark", "local"


def chosen(
    engine: str | None, master: str | None, tell: Callable[[str], None], *, quiet: bool = False
) -> Engine:
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
        from pyibc.indexer.pipeline.local_run import LocalEngine

        return LocalEngine()
    from pyibc.indexer.pipeline.spark_run import SparkEngine
    from pyibc.indexer.session import DEFAULT_MASTER, open_session
    from pyibc.indexer.spark_errors import failing

    where = master or DEFAULT_MASTER
    tell(f"starting Spark on {where}")
    with failing(), held_back() if quiet else nullcontext():
        return SparkEngine(open_session(where, brief=True))
