"""DuckDB as the query engine, in this process; no JVM is started."""

import shutil
from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pyibc.indexer.engines import Columns, Dialect, Engine, arrow_table
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.storage.copies import copies
from pyibc.indexer.storage.locations import Location, remove_all
from pyibc.indexer.storage.objects import ObjectPath

_HALF = "18446744073709551615::hugeint"
_HIGH, _LOW = "sum(CAST({0} AS hugeint) >> 64)", f"sum(CAST({{0}} AS hugeint) & {_HALF})"
DIALECT = Dialect(
    time_type="timestamptz",
    time_form="make_timestamptz({} // 1000)",
    micros_form="epoch_us({})",
    percentiles_form="quantile_disc({}, [{}])",
    total_form=(  # sums of the two halves cannot overflow
        f"CASE WHEN abs({_HIGH}) <= {_HALF} >> 1 AND {_HIGH} + ({_LOW} >> 64) <= {_HALF} >> 1"
        f" THEN TRY_CAST({_HIGH} * ({_HALF} + 1) + {_LOW} AS DECIMAL(38,0)) END"
    ),
    each_form="{rows} CROSS JOIN unnest({array}) AS unnested({name})",
    struct_form="struct_pack({})",
    field_form="{name} := {value}",
)

MEMORY = 2 << 30
"""Memory limit in bytes, beyond which DuckDB spills to the disk; its own limit applies if that is lower."""
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


@contextmanager
def failing() -> Iterator[None]:
    """Convert DuckDB errors to `EngineFailed` with the first line of their text."""
    try:
        yield
    except duckdb.Error as error:
        raise EngineFailed("DuckDB", str(error).partition("\n")[0]) from error


def connect(scratch: Path) -> duckdb.DuckDBPyConnection:
    """Open a database in memory, which spills to the folder `scratch`."""
    base = duckdb.connect(":memory:")
    base.execute("SET TimeZone = 'UTC'")
    base.execute("SET temp_directory = $1", [str(scratch)])
    base.execute("SET preserve_insertion_order = false")
    base.execute("SET enable_progress_bar = false")  # printed to stdout in interactive Python
    if _memory(base) > MEMORY:
        base.execute(f"SET memory_limit = '{MEMORY} bytes'")
    return base


def _memory(base: duckdb.DuckDBPyConnection) -> float:
    """Return DuckDB's default memory limit in bytes."""
    ((limit,),) = base.execute("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(limit).split()
    return float(number) * float(1024 ** _UNITS.index(unit))


def named_rows(base: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    """Run a query with a small result; return named tuples, also for structs in them.

    Raises:
        EngineFailed: DuckDB failed.
    """
    with failing():
        found = base.sql(query)
        row = _row(tuple(found.columns))
        return [row(*map(_named, values)) for values in found.fetchall()]


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return _row(tuple(value))(*map(_named, value.values()))
    return [*map(_named, value)] if isinstance(value, list) else value


@lru_cache(maxsize=1024)
def _row(names: tuple[str, ...]) -> Any:
    return namedtuple("Row", names)


def forget(base: duckdb.DuckDBPyConnection, name: str) -> None:
    """Drop a name, whether it is a view or a table."""
    for kind in ("VIEW", "TABLE"):
        with suppress(duckdb.CatalogException):  # the name is of the other kind
            base.execute(f"DROP {kind} IF EXISTS {name}")


class LocalEngine:
    """DuckDB query engine, which spills to the folder `scratch`."""

    def __init__(self, scratch: Path) -> None:
        self._base = connect(scratch)

    @property
    def dialect(self) -> Dialect:
        """SQL dialect of DuckDB."""
        return DIALECT

    @property
    def apart(self) -> bool:
        """False: the engine is in this process."""
        return False

    def files(self, name: str, columns: Columns, paths: Sequence[Location]) -> None:
        """Register the rows of all files as the view `name`."""
        if not paths:
            self.table(name, columns, ())
            return
        files = [file for path in _here(paths) for file in _inside(path)]
        with failing():
            forget(self._base, name)
            self._base.read_parquet([str(file) for file in files]).create_view(name)

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register rows as the table `name`."""
        forget(self._base, name)
        self._base.from_arrow(arrow_table(columns, rows)).create(name)

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result."""
        return named_rows(self._base, query)

    def arrow(self, query: str) -> pa.Table:
        """Run a query and return its result as an Arrow table."""
        with failing():
            return self._base.sql(query).to_arrow_table()

    def write(self, query: str, folder: Location) -> None:
        """Write the result of a query as Parquet."""
        folder = _own(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with failing():
            self._base.sql(query).write_parquet(str(folder / "part-00000.parquet"), compression="zstd")

    def write_parts(self, query: str, folder: Location) -> None:
        """Write the result of a query as Parquet, partitioned by the column `part`."""
        folder = _own(folder)
        folder.mkdir(parents=True)
        place = str(folder).replace("'", "''")
        with failing():
            self._base.execute(
                f"COPY ({query}) TO '{place}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (part))"
            )

    def remove(self, folder: Location) -> None:
        """Remove a folder with its content."""
        remove_all(folder)

    def expect(self, rows: int) -> None:
        """Ignore the number: DuckDB does not need it."""


def _here(paths: Sequence[Location]) -> list[Path]:
    """Return local paths, with copies of the files that are in a bucket."""
    objects = [path for path in paths if isinstance(path, ObjectPath)]
    return [path for path in paths if isinstance(path, Path)] + (copies().all(objects) if objects else [])


def _own(folder: Location) -> Path:
    if not isinstance(folder, Path):
        raise EngineFailed("DuckDB", f"cannot write to {folder}, only to local folders")
    return folder


def _inside(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


def here(_rows: int, scratch: Path) -> Engine:
    """Open a DuckDB engine."""
    return LocalEngine(scratch)
