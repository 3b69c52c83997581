"""Generator of docs/indexer-tables.md: the tables of the index with their columns.

Names, types, order and keys come from the declarations in pyibc/indexer, meanings from index_tables.toml.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pyibc.indexer.frames import CONTRACTS, Contract
from pyibc.indexer.pipeline.lake import Table
from pyibc.indexer.pipeline.tables import HOURS, INCARNATIONS, REPLACED, TABLES
from pyibc.indexer.results.hours import AGGREGATES

MEANINGS = Path(__file__).with_suffix(".toml")
INTRO = """\
# The indexer: tables

The columns of the [indexer](indexer.md)'s tables. In SQL each table of the first section is a view of its
name; in Python it is a property of `pyibc.index(...)`. [The reference](indexer-reference.md) says how
chains are named and packets are joined.

```sql
SELECT src_chain, sequence, send_time FROM packets WHERE stuck ORDER BY send_time
```

Columns keep name, type, meaning and order; new ones come at the end. A table has one row per key. Times are
in UTC with microseconds. Amounts are texts of decimal digits, since they exceed 38 digits; in sums,
DECIMAL(38, 0).

## Tables"""
HOURLY = """\
## Aggregates by hour

Views over `gold/hours`, which leaves out the packets in flight, and over these packets in `gold/packets`
([examples](indexer.md#numbers-by-hour)). Each has `hour` (null: time not known), `n`, the number of items
with the same values in all other columns, and these columns. Those with `_us` are in microseconds, those with
`_s` are sums of seconds, and those with `_place` are the numbers, from 0, of the buckets of latencies in the
[metrics](indexer-reference.md#metrics).

| view | of | columns |
|---|---|---|"""
DELTA = """\
## Delta tables

The tables on disk, which the views above read ([how they are kept](indexer-reference.md#delta-tables)). The
[data source](indexer-reference.md#data-source-ibc) returns the columns of `silver/packet_events`, without
`batch`."""

_STORED = " that are not in flight"  # of packets in the table; the views have all


class WrongMeanings(Exception):
    """The meanings do not list the declared tables and columns in their order."""


def index_tables_page() -> str:
    """Return the page.

    Raises:
        WrongMeanings: a table or column has no meaning, or a meaning has no column.
    """
    told = tomllib.loads(MEANINGS.read_text(encoding="utf-8"))
    if [*told] != [*CONTRACTS]:
        raise WrongMeanings(f"{MEANINGS.name} has the tables {[*told]}, pyibc.indexer has {[*CONTRACTS]}")
    parts = [_section(name, contract, told[name]) for name, contract in CONTRACTS.items()]
    return "\n\n".join([INTRO, *parts, "\n".join([HOURLY, *_hourly()]), DELTA, *_delta()]) + "\n"


def _section(name: str, contract: Contract, told: Mapping[str, str]) -> str:
    rows, *meanings = told.items()
    groups = [(group.split(", "), meaning) for group, meaning in meanings]
    listed = [column for group, _ in groups for column in group]
    declared = [column for column, _ in contract.columns]
    if rows[0] != "rows" or listed != declared:
        raise WrongMeanings(f"{MEANINGS.name}: {name} has the columns {listed}, declared are {declared}")
    types = dict(contract.columns)
    lines = [
        f"| {_code(group)} | {_types([types[column] for column in group])} | {meaning} |"
        for group, meaning in groups
    ]
    return _table(name, f"{rows[1]}; key {_code(contract.key)}.", lines)


def _hourly() -> Iterator[str]:
    comments = {column.name: column.comment.replace(_STORED, "") for column in HOURS.columns}
    for one in AGGREGATES:
        names = _code([name for name, _ in one.columns])
        yield f"| `{one.name}_by_hour` | {comments[one.name]} | {names} |"


def _delta() -> Iterator[str]:
    for table in sorted((*TABLES, REPLACED, INCARNATIONS), key=lambda each: each.name):
        lines = [f"| `{each.name}` | {_short(each.type)} | {each.comment} |" for each in table.columns]
        yield _table(table.name, f"{table.comment}.{_keys(table)}", lines)


def _keys(table: Table) -> str:
    key = f" Key {_code(table.key)}." if table.key else ""
    return key + (f" Partitioned by {_code(table.partitioned_by)}." if table.partitioned_by else "")


def _table(name: str, text: str, lines: list[str]) -> str:
    return "\n".join([f"### {name}\n\n{text}\n", "| column | type | |", "|---|---|---|", *lines])


def _code(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _types(kinds: list[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else ", ".join(kinds)


def _short(kind: str) -> str:
    """Return the type without the fields of its structs."""
    outer = kind.partition("<")[0]
    return "array of structs" if kind.startswith("array<struct") else kind if outer == "array" else outer
