"""`pyibc.index`: the index as DataFrames of Spark, pandas or Polars."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa

from pyibc.indexer.answered import Frame, IndexFrames
from pyibc.indexer.choosing import chosen
from pyibc.indexer.coverage import CoverageRow, coverage_rows
from pyibc.indexer.given import AnyPath, existing, results_folder
from pyibc.indexer.inputs import TABLES
from pyibc.indexer.job import Outcome
from pyibc.indexer.job import index as run_job
from pyibc.indexer.lake.tables import CONTRACTS
from pyibc.indexer.local_engine import DIALECT, LocalEngine
from pyibc.indexer.result_files import read_table, table_files
from pyibc.indexer.storage.locations import Location, local
from pyibc.indexer.storage.objects import ObjectPath

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from pyspark.sql import SparkSession

    from pyibc.indexer.frames import Index

Inputs = AnyPath | Iterable[AnyPath]


class Tables(IndexFrames[Frame]):
    """Index of packets as pandas or Polars DataFrames.

    Times are in UTC with microseconds. Integers and booleans are nullable. Sums and `amount_decimal` are
    decimals of 38 digits.
    """

    def __init__(self, folder: Location, outcome: Outcome, frame: Callable[[pa.Table], Frame]) -> None:
        """Open the results in `folder`; `frame` converts an Arrow table to a DataFrame."""
        super().__init__(folder, outcome, DIALECT)
        self._frame = frame

    @property
    def coverage(self) -> Frame:
        """One row per range of heights of a chain: `covered`, or a `gap` of missing blocks."""
        rows = coverage_rows(self._outcome.coverage)
        columns = list(zip(*rows, strict=True)) or [()] * len(CoverageRow._fields)
        kinds = (pa.string(), pa.string(), pa.int64(), pa.int64(), pa.string())
        arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
        return self._frame(pa.table(arrays, names=list(CoverageRow._fields)))

    def _table(self, name: str) -> Frame:
        return self._frame(read_table(self.folder, name))

    def _answer(self, query: str) -> Frame:
        """Run a query over the tables with DuckDB."""
        tables = ", ".join(f"{name} AS ({_rows_of(self.folder, name)})" for name in TABLES)
        asked = query.format(packets="packets", transactions="transactions")
        engine = LocalEngine(Path(tempfile.gettempdir()))
        return self._frame(engine.arrow(f"WITH {tables} SELECT * FROM ({asked}) AS answer"))


@overload
def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    spark: "SparkSession | None" = None,
    *,
    frames: Literal["spark"] = "spark",
) -> "Index": ...


@overload
def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    *,
    frames: Literal["pandas"],
    engine: Literal["spark", "local"] | None = None,
) -> "Tables[pd.DataFrame]": ...


@overload
def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    *,
    frames: Literal["polars"],
    engine: Literal["spark", "local"] | None = None,
) -> "Tables[pl.DataFrame]": ...


def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    spark: "SparkSession | None" = None,
    *,
    frames: str = "spark",
    engine: str | None = None,
) -> "Index | Tables[Any]":
    """Index the packets in exports, node recordings and packet tables, which are distinguished by content.

    Args:
        inputs: files and folders.
        out: folder for the tables, summary.json and report.html; created if absent, earlier results are
            replaced. On a cluster all workers must share it. None: a temporary folder, which is deleted at
            exit.
        spark: session for Spark frames; None: the active session, or a new local one.
        frames: library of the DataFrames: `spark`, `pandas` or `polars`.
        engine: query engine for pandas and Polars frames, `spark` or `local` (DuckDB); None: chosen by the
            size of the run.

    Raises:
        FileNotFoundError: an input does not exist.
        ValueError: `frames` or `engine` has an unknown value, or they cannot be combined.
        EngineFailed: the engine failed, or could not be started.
    """
    if frames == "spark":
        if engine not in {None, "spark"}:
            raise ValueError("frames='spark' requires engine 'spark'")
        from pyibc.indexer.frames import index as on_spark

        return on_spark(inputs, out, spark)
    if frames not in _FRAMES:
        raise ValueError(f"frames must be spark, {' or '.join(_FRAMES)}, not {frames!r}")
    if engine not in {None, "spark", "local"} or spark is not None:
        raise ValueError("engine must be 'spark', 'local' or None; a session requires frames='spark'")
    paths, folder = existing(inputs), results_folder(out)
    outcome = run_job(
        chosen(engine, None, lambda _: None, storage=isinstance(folder, ObjectPath)), paths, folder
    )
    return Tables(folder, outcome, _FRAMES[frames])


def _rows_of(folder: Location, name: str) -> str:
    """Build a DuckDB query for the rows of a table, which may have no files."""
    files = ", ".join("'" + str(local(file)).replace("'", "''") + "'" for file in table_files(folder, name))
    if files:
        return f"SELECT * FROM read_parquet([{files}])"
    nulls = (f"CAST(NULL AS {DIALECT.type(kind)}) AS {column}" for column, kind in CONTRACTS[name].columns)
    return f"SELECT {', '.join(nulls)} WHERE FALSE"


def _pandas(table: pa.Table) -> "pd.DataFrame":
    import pandas as pd

    types = {
        pa.int8(): pd.Int8Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
        pa.float64(): pd.Float64Dtype(),
    }
    return table.to_pandas(types_mapper=types.get)


def _polars(table: pa.Table) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(table)


_FRAMES: dict[str, Callable[[pa.Table], Any]] = {"pandas": _pandas, "polars": _polars}
