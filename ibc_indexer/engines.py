"""What the index needs of an engine that reads Parquet and answers SQL.

The queries are written once, in the SQL that Spark and DuckDB share. What the two spell differently is in a
`Dialect`, and that is all. What they spell alike and mean differently is not used: `concat` (a null makes all
null, or is left out: `||` is the same in both), an order without NULLS FIRST or LAST, integer division.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from ibc_indexer.storage.locations import Location

Columns = tuple[tuple[str, str], ...]  # names and SQL types, of those that both engines know


class Dialect(NamedTuple):
    """Forms that the engines spell differently: text with places for expressions."""

    time_type: str
    time_form: str
    micros_form: str
    percentiles_form: str
    total_form: str

    def type(self, kind: str) -> str:
        """The name of a column's type."""
        return self.time_type if kind == "timestamp" else kind

    def time(self, nanoseconds: str) -> str:
        """The timestamp in UTC, in microseconds, of an expression in unix nanoseconds."""
        return self.time_form.format(nanoseconds)

    def micros(self, time: str) -> str:
        """A timestamp in unix microseconds."""
        return self.micros_form.format(time)

    def percentiles(self, value: str, ranks: Sequence[float]) -> str:
        """An aggregate: values of the ranks (0..1), a list of such as occur; null if there are none."""
        return self.percentiles_form.format(value, ", ".join(map(str, ranks)))

    def total(self, amount: str) -> str:
        """An aggregate: the exact sum of decimals of 38 digits; null if it has more."""
        return self.total_form.format(amount)


class Engine(Protocol):
    """Runs queries over Parquet files and small tables, which go by names."""

    @property
    def dialect(self) -> Dialect:
        """How it spells what the engines spell differently."""

    @property
    def apart(self) -> bool:
        """Whether it writes by processes that see no folder of this machine, if results are in a bucket."""

    def files(self, name: str, columns: Columns, paths: Sequence[Location]) -> None:
        """Calls the rows of all files `name`."""

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Calls these rows `name`; few, as every worker gets them."""

    def rows(self, query: str) -> list[Any]:
        """The answer to a query, small: tuples whose fields have the columns' names."""

    def write(self, query: str, folder: Location) -> None:
        """Writes the answer to a query as Parquet into `folder`, replacing it."""

    def write_parts(self, query: str, folder: Location) -> None:
        """Writes it into folders `part=<n>` below a new `folder`, by its column `part`, which files lack."""

    def remove(self, folder: Location) -> None:
        """Removes what is in a folder, and what the engine left beside it to mark that it is one."""

    def expect(self, rows: int) -> None:
        """Tells about how many rows the next queries read: plans are made for them beforehand."""


OpenEngine = Callable[[int, Path], Engine]
"""Gives an engine for about so much work, in rows; the folder is for what it keeps for a while.

A run may ask for another one as soon as it finds that there is much more to do.
"""

ARROW = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "tinyint": pa.int8(),
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us", "UTC"),
    "decimal(38,0)": pa.decimal128(38, 0),
}
"""The types of columns as Arrow has them."""


def arrow_table(columns: Columns, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Rows as a table for an engine."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(v, ARROW[kind]) for v, (_, kind) in zip(values, columns, strict=True)]
    return pa.table(arrays, names=[name for name, _ in columns])


def columns_of(schema: pa.Schema) -> Columns:
    """The columns of a file by its schema."""
    kinds = {kind: name for name, kind in ARROW.items()}
    return tuple((field.name, kinds[field.type]) for field in schema)
