"""SQL in DuckDB, in this process."""

import re
from collections import namedtuple
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb

from pyibc.indexer.engines import Dialect
from pyibc.indexer.errors import EngineFailed

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
_SPECIAL = re.compile("[*?[]")
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


def patterns_of(urls: Iterable[str]) -> list[str]:
    """Return the files of a Delta table on this machine as patterns of DuckDB, by their URLs in delta-rs."""
    paths = (unquote(url).removeprefix("file://") for url in urls)
    return [_SPECIAL.sub(r"[\g<0>]", path) for path in paths]


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
        found = base.execute(query)
        row = _row(tuple(name for name, *_ in found.description or ()))
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
