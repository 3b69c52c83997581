"""What the index needs of an engine that reads Parquet and answers SQL.

The queries are written once, in the SQL that Spark and DuckDB share. What the two spell differently is in a
`Dialect`, and that is all.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

Columns = tuple[tuple[str, str], ...]  # names and SQL types, of those that both engines know


class Dialect(NamedTuple):
    """Forms that the engines spell differently: text with one place for an expression."""

    moment: str  # a timestamp in UTC of nanoseconds since 1970, cut to microseconds

    def attempt(self, expression: str, kind: str) -> str:
        """The expression as a type, null where it is none; both engines spell it so."""
        return f"TRY_CAST({expression} AS {kind})"

    def time(self, nanoseconds: str) -> str:
        """The timestamp of an expression in unix nanoseconds."""
        return self.moment.format(nanoseconds)


class Engine(Protocol):
    """Runs queries over Parquet files and small tables, which go by names."""

    @property
    def dialect(self) -> Dialect:
        """How it spells what the engines spell differently."""

    def files(self, name: str, columns: Columns, paths: Sequence[Path]) -> None:
        """Calls the rows of all files `name`."""

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Calls these rows `name`; few, as every worker gets them."""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The answer to a query, small."""

    def write(self, query: str, folder: Path) -> None:
        """Writes the answer to a query as Parquet into `folder`, replacing it."""


ARROW = {"string": pa.string(), "bigint": pa.int64(), "int": pa.int32(), "tinyint": pa.int8()}
"""The types of columns that go into an engine."""


def arrow_table(columns: Columns, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Rows as a table for an engine."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(v, ARROW[kind]) for v, (_, kind) in zip(values, columns, strict=True)]
    return pa.table(arrays, names=[name for name, _ in columns])


def columns_of(schema: pa.Schema) -> Columns:
    """The columns of a file by its schema."""
    kinds = {kind: name for name, kind in ARROW.items()}
    return tuple((field.name, kinds[field.type]) for field in schema)
