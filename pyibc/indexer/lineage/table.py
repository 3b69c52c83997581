"""Table of chains with their lineages."""

from collections.abc import Iterable

from pyibc.indexer.engines import Columns, Dialect, SqlEngine
from pyibc.indexer.lineage.lineages import Member
from pyibc.indexer.tables import Table

MEMBERS: Columns = (
    ("lineage", "string"),
    ("chain", "string"),
    ("chain_id", "string"),
    ("revision", "bigint"),
    ("incarnation", "string"),
    ("first_height", "bigint"),
    ("last_height", "bigint"),
    ("first_ns", "bigint"),
    ("last_ns", "bigint"),
    ("known_by", "string"),
    ("since_height", "bigint"),
)
_COLUMNS: Columns = (
    ("chain", "string"),
    ("lineage", "string"),
    ("chain_id", "string"),
    ("revision", "bigint"),
    ("incarnation", "string"),
    ("first_height", "bigint"),
    ("last_height", "bigint"),
    ("first_time", "timestamp"),
    ("last_time", "timestamp"),
    ("known_by", "string"),
    ("since_height", "bigint"),
)


def register_lineages(engine: SqlEngine, members: Iterable[Member]) -> None:
    """Register the chains with their lineages with `engine` as `lineage_members`."""
    engine.table("lineage_members", MEMBERS, map(member_row, members))


def member_row(one: Member) -> tuple[str | int | None, ...]:
    """Return a chain as a row with the columns `MEMBERS`."""
    return (
        *(one.lineage, one.span.name, one.span.chain_id, one.span.revision),
        *(one.span.incarnation or None, one.span.first_height, one.span.last_height),
        *(one.span.first_ns, one.span.last_ns, one.known_by or None, one.since or None),
    )


def chains_table(dialect: Dialect) -> Table:
    """Define the table with one row per chain: its lineage, known blocks, and how it continues another."""
    times = {f"{name}_time": dialect.time(f"{name}_ns") for name in ("first", "last")}
    return Table("chains", _COLUMNS, times, "lineage_members")
