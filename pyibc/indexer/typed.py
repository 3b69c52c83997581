"""`pyibc.index`: the index as DataFrames of Spark, pandas or Polars."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa

from pyibc.indexer.answered import Frame, IndexFrames
from pyibc.indexer.choosing import chosen
from pyibc.indexer.coverage import CoverageRow, coverage_rows
from pyibc.indexer.duckdb_sql import DIALECT, failing
from pyibc.indexer.job import index as run_job
from pyibc.indexer.locations import AnyPath, existing, results_folder
from pyibc.indexer.pipeline.report import Outcome, open_results

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

    def __init__(self, folder: str, outcome: Outcome, frame: Callable[[pa.Table], Frame]) -> None:
        """Open the results in `folder`; `frame` converts an Arrow table to a DataFrame."""
        super().__init__(folder, outcome, DIALECT)
        self._frame = frame
        self._base = open_results(folder)

    @property
    def coverage(self) -> Frame:
        """One row per range of heights of a chain: `covered`, or a `gap` of missing blocks."""
        rows = coverage_rows(self._outcome.coverage)
        columns = list(zip(*rows, strict=True)) or [()] * len(CoverageRow._fields)
        kinds = (pa.string(), pa.string(), pa.int64(), pa.int64(), pa.string())
        arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
        return self._frame(pa.table(arrays, names=list(CoverageRow._fields)))

    def _answer(self, query: str) -> Frame:
        """Run a query over the tables with DuckDB."""
        asked = query.format(packets="packets", transactions="transactions")
        with failing():
            return self._frame(self._base.sql(asked).to_arrow_table())


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
        out: folder for the tables, summary.json and report.html; created if absent, and brought up to date
            otherwise. On a cluster all workers must share it. None: a temporary folder, which is deleted at
            exit.
        spark: session for Spark frames; None: the active session, or a new local one.
        frames: library of the DataFrames: `spark`, `pandas` or `polars`.
        engine: engine that makes the tables for pandas and Polars frames, `spark` or `local`; None: local.

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
    outcome = run_job(chosen(engine, None, lambda _: None), paths, folder)
    return Tables(folder, outcome, _FRAMES[frames])


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
