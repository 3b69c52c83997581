"""`pyibc.index`: the answers as DataFrames of Spark, pandas or Polars."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa

from ibc_indexer.answered import Answered, Frame
from ibc_indexer.choosing import chosen
from ibc_indexer.coverage import Told, told
from ibc_indexer.given import AnyPath, existing, results_folder
from ibc_indexer.inputs import TABLES
from ibc_indexer.job import Outcome
from ibc_indexer.job import index as run_job
from ibc_indexer.lake.tables import CONTRACTS
from ibc_indexer.local_engine import DIALECT, LocalEngine
from ibc_indexer.result_files import read_table, table_files
from ibc_indexer.storage.locations import Location, local
from ibc_indexer.storage.objects import ObjectPath

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from pyspark.sql import SparkSession

    from ibc_indexer.frames import Index

Inputs = AnyPath | Iterable[AnyPath]


class Tables(Answered[Frame]):
    """Where every packet is, as DataFrames of pandas or Polars.

    Times are in UTC, in microseconds; integers and booleans may be null; sums and `amount_decimal` are
    decimals of 38 digits.
    """

    def __init__(self, folder: Location, outcome: Outcome, frame: Callable[[pa.Table], Frame]) -> None:
        """`folder` holds the results; `frame` makes a DataFrame of Arrow's table."""
        super().__init__(folder, outcome, DIALECT)
        self._frame = frame

    @property
    def coverage(self) -> Frame:
        """As `Answered.coverage`."""
        columns = list(zip(*told(self._outcome.coverage), strict=True)) or [()] * len(Told._fields)
        kinds = (pa.string(), pa.string(), pa.int64(), pa.int64(), pa.string())
        arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
        return self._frame(pa.table(arrays, names=list(Told._fields)))

    def _table(self, name: str) -> Frame:
        return self._frame(read_table(self.folder, name))

    def _answer(self, query: str) -> Frame:
        """A query over the tables, answered by DuckDB."""
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
    """Says where every packet is: reads exports, node recordings and packet tables, told apart by content.

    Args:
        inputs: files and folders.
        out: the folder for the packet table, summary.json and report.html, made if absent, earlier results
            replaced; on a cluster one that all workers see. None: a folder that goes when the program ends.
        spark: the session to run in, with Spark's frames; None: the one that is open, or a new local one.
        frames: `spark`, `pandas` or `polars`: whose DataFrames are given.
        engine: with the frames of pandas and Polars who answers, `spark` or `local` (DuckDB); None: by
            how much there is to do.

    Raises:
        FileNotFoundError: an input is not there.
        ValueError: `frames` or `engine` is another word, or they do not go together.
        EngineFailed: the engine failed, or could not be started.
    """
    if frames == "spark":
        if engine not in {None, "spark"}:
            raise ValueError("Spark's frames need engine 'spark'")
        from ibc_indexer.frames import index as on_spark

        return on_spark(inputs, out, spark)
    if frames not in _FRAMES:
        raise ValueError(f"frames are spark, {', '.join(_FRAMES)}, not {frames!r}")
    if engine not in {None, "spark", "local"} or spark is not None:
        raise ValueError("engine is 'spark', 'local' or None; a session goes with Spark's frames")
    paths, folder = existing(inputs), results_folder(out)
    outcome = run_job(
        chosen(engine, None, lambda _: None, storage=isinstance(folder, ObjectPath)), paths, folder
    )
    return Tables(folder, outcome, _FRAMES[frames])


def _rows_of(folder: Location, name: str) -> str:
    """A table for DuckDB, also one that has no file."""
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
