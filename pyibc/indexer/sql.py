"""SQL that both engines run: their interface, and the order of a packet's events.

The queries are written once, in the SQL that Spark and DuckDB share. `Dialect` contains everything that the
two spell differently. Constructs with the same spelling and different semantics are not used: `concat` (nulls
propagate in Spark and are skipped in DuckDB; `||` is the same in both), ORDER BY without NULLS FIRST or LAST,
integer division.

The order of events decides if they contradict each other. A sequence that is in several events with
different content has one row all the same. Its content comes from the first event: sends before receives,
written acknowledgements, acknowledgements and timeouts, and events of one type by revision of the chain,
height, transaction and event. The order is computed in SQL and has no ties in blocks of ordinary size
(`TURN`), so all engines choose the same event.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from pyibc.core.numbers import MAX_I64

Columns = tuple[tuple[str, str], ...]  # names and SQL types that both engines have

ARROW = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "tinyint": pa.int8(),
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us", "UTC"),
    "decimal(38,0)": pa.decimal128(38, 0),
    "decimal(38,6)": pa.decimal128(38, 6),
}
"""Arrow types of the column types."""

_TOKEN = re.compile(r"\w+\(\d+,\d+\)|\w+|[<>:,]")

POSITION = f"(least(height, {MAX_I64} - height_base) + height_base)"
"""SQL expression: height of an event if the heights of its chain had never restarted.

`height_base` is what the heights of its revision are raised by (`lineage.lineages`).
"""
_HEIGHT_BITS, _TX_BITS, _EVENT_BITS = 33, 14, 13  # together with three bits of the kind: a positive bigint
_REST_BITS = _HEIGHT_BITS + _TX_BITS + _EVENT_BITS

TURN = (
    f"(least({POSITION}, {(1 << _HEIGHT_BITS) - 1}) * {1 << (_TX_BITS + _EVENT_BITS)}"
    f" + least(coalesce(CAST(tx_index AS bigint), -1) + 1, {(1 << _TX_BITS) - 1}) * {1 << _EVENT_BITS}"
    f" + least(coalesce(CAST(event_index AS bigint), 0), {(1 << _EVENT_BITS) - 1}))"
)
"""SQL expression: sort key of an event by `POSITION`, transaction and event.

Heights from 2^33, transactions from 2^14 in a block and events from 2^13 in a transaction are clamped.
"""
EVENT_ORDER = f"(CAST(kind AS bigint) * {1 << _REST_BITS} + {TURN})"
"""SQL expression: sort key of an event by its kind, then `TURN`."""

HAS_TIMEOUT = "(timeout_height > 0 OR timeout_revision > 0 OR timeout_ns > 0)"
"""SQL condition: the event has a timeout; some chains omit it in some events."""


def columns_of(ddl: str) -> Columns:
    """Parse columns such as `height bigint, amount decimal(38,0)`."""
    return tuple((name, kind) for name, kind in (each.split() for each in ddl.split(", ")))


class Dialect(NamedTuple):
    """SQL constructs that the engines spell differently, as format strings."""

    time_type: str
    time_form: str
    micros_form: str
    percentiles_form: str
    total_form: str
    each_form: str
    struct_form: str
    field_form: str
    array_form: str

    def type(self, kind: str) -> str:
        """Return the engine's name of a column type."""
        return self.time_type if kind == "timestamp" else kind

    def time(self, nanoseconds: str) -> str:
        """Convert an expression in unix nanoseconds to a UTC timestamp with microseconds."""
        return self.time_form.format(nanoseconds)

    def micros(self, time: str) -> str:
        """Convert a timestamp expression to unix microseconds."""
        return self.micros_form.format(time)

    def each(self, rows: str, array: str, name: str) -> str:
        """Build the FROM clause for the elements of an array column, which get the column `name`."""
        return self.each_form.format(rows=rows, array=array, name=name)

    def listed(self, columns: Columns, expressions: Mapping[str, str]) -> str:
        """Build the list of `columns` of a query, by `expressions` or from columns of the same names."""
        return ",\n  ".join(
            f"CAST({expressions.get(name, name)} AS {self.type(kind)}) AS {name}" for name, kind in columns
        )

    def struct(self, fields: Mapping[str, str]) -> str:
        """Build a struct from expressions by the names of its fields."""
        listed = (self.field_form.format(name=name, value=value) for name, value in fields.items())
        return self.struct_form.format(", ".join(listed))

    def array(self, values: Iterable[str]) -> str:
        """Build an array of expressions."""
        return self.array_form.format(", ".join(values))

    def percentiles(self, value: str, ranks: Sequence[float]) -> str:
        """Aggregate to the list of percentiles at `ranks` (0..1), each an input value; null without input."""
        return self.percentiles_form.format(value, ", ".join(map(str, ranks)))

    def total(self, amount: str, condition: str = "TRUE") -> str:
        """Aggregate to the exact sum of amounts, as texts, under `condition`.

        It is null if it has more than 38 digits, or an amount has.
        """
        number, zero = f"TRY_CAST({amount} AS DECIMAL(38,0))", "CAST(0 AS DECIMAL(38,0))"
        found = self.total_form.format(f"CASE WHEN {condition} THEN {number} ELSE {zero} END")
        large = f"count(CASE WHEN ({condition}) AND {number} IS NULL THEN {amount} END)"
        return f"CASE WHEN {large} = 0 THEN {found} END"


class SqlEngine(Protocol):
    """SQL over tables that are registered under names."""

    @property
    def dialect(self) -> Dialect:
        """SQL dialect of the engine."""

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register rows as the table `name`; a small number, because every worker gets a copy."""

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result; return tuples with the column names as fields."""

    def expect(self, rows: int) -> None:
        """Announce the approximate number of rows that the next queries read, for query planning."""


@lru_cache(maxsize=1024)
def arrow_type(kind: str) -> pa.DataType:
    """Return a type of Spark SQL as an Arrow type; it may be an array or a struct of others."""
    return _parsed(iter(_TOKEN.findall(kind)))


def _parsed(tokens: Iterator[str]) -> pa.DataType:
    kind = next(tokens)
    if kind == "array":
        next(tokens)
        found = pa.list_(_parsed(tokens))
        next(tokens)
        return found
    if kind != "struct":
        return ARROW[kind]
    fields = list[tuple[str, pa.DataType]]()
    while next(tokens) != ">":  # "<" before the first field, "," before others
        name, _ = next(tokens), next(tokens)
        fields.append((name, _parsed(tokens)))
    return pa.struct(fields)


def arrow_schema(columns: Columns) -> pa.Schema:
    """Convert columns to an Arrow schema."""
    return pa.schema([(name, arrow_type(kind)) for name, kind in columns])


def arrow_table(columns: Columns, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Convert rows to an Arrow table; structs in them are tuples."""
    schema = arrow_schema(columns)
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [
        pa.array([_mapped(value, field.type) for value in column], field.type)
        if pa.types.is_struct(field.type)
        else pa.array(column, field.type)
        for column, field in zip(values, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _mapped(value: Any, kind: pa.DataType) -> Any:
    """Return a tuple for a struct as a mapping."""
    if value is None or not pa.types.is_struct(kind):
        return value
    return {field.name: _mapped(part, field.type) for field, part in zip(kind, value, strict=True)}


def first(column: str, condition: str, order: str = EVENT_ORDER) -> str:
    """Aggregate to the value of `column`, null included, in the first event that fulfils `condition`.

    The value is null if there is none. -1 stands for null, which engines skip in different ways; it is no
    timeout and no part of an amount, and a name has that number only by a collision of hashes.
    """
    return f"nullif(min_by(coalesce({column}, -1), CASE WHEN {condition} THEN {order} END), -1)"
