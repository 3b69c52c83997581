"""Tables of the pipeline, and what its steps need of the engine that keeps them.

The steps are SQL that Spark and DuckDB share. `SparkLake` writes the tables with Delta Lake for Spark, and
`LocalLake` with delta-rs in this process.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from pyibc.indexer.errors import DamagedLog
from pyibc.indexer.files import StateFolder
from pyibc.indexer.locations import AnyPath
from pyibc.indexer.sql import Columns, SqlEngine

BatchFunction = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

PROPERTIES = {
    "delta.enableDeletionVectors": "false",  # readers other than Spark need not support them
    "delta.logRetentionDuration": "interval 7 days",
    "delta.checkpointInterval": "50",  # writing one costs several times what a commit costs
}
MOST_SPANS = 200
COMMIT = re.compile(r"[0-9]{20}\.json")
"""Names of the entries in the log of a Delta table."""


class Batch(NamedTuple):
    """Batch of the stream."""

    writer: str  # of the stream; other streams may have batches with the same numbers
    number: int

    @property
    def name(self) -> str:
        """Name in the column `batch`."""
        return f"{self.writer}-{self.number:010d}"


class Column(NamedTuple):
    """Column of a table."""

    name: str
    type: str  # of Spark SQL
    comment: str = ""


class Table(NamedTuple):
    """Definition of a Delta table."""

    name: str  # also its folder
    comment: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()  # primary key
    filtered: tuple[str, ...] = ()  # other columns with file statistics, by which readers leave out files
    partitioned_by: tuple[str, ...] = ()
    feeds_changes: bool = True  # has a change data feed
    retention: str = "7 days"  # for which removed files are kept, for readers of old versions
    group_rows: int = 1 << 20  # rows of a row group, by whose statistics a reader leaves out parts of a file
    sorted_by: tuple[str, ...] = ()  # order of the rows that a batch appends to a file of Spark
    is_rebuilt: bool = False  # if it is empty, the next batch computes it from the others

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def typed(self) -> Columns:
        """Names and types of the columns."""
        return tuple((column.name, column.type) for column in self.columns)

    @property
    def properties(self) -> dict[str, str]:
        """Delta properties: statistics are kept for the columns that queries filter by."""
        wanted = dict.fromkeys((*self.key, *self.filtered))
        booleans = {column.name for column in self.columns if column.type == "boolean"}
        columns = [name for name in wanted if name not in booleans]  # Delta keeps none for booleans
        return (
            PROPERTIES
            | {
                "delta.enableChangeDataFeed": str(self.feeds_changes).lower(),
                "delta.deletedFileRetentionDuration": f"interval {self.retention}",
            }
            | ({"delta.dataSkippingStatsColumns": ",".join(columns)} if columns else {})
        )


class Lake(SqlEngine, Protocol):
    """Folder with the Delta tables of the pipeline, and SQL over them and over temporary views.

    A view of the name `batch_given` has the blocks of the batch that is processed.
    """

    @property
    def url(self) -> str:
        """URL of the folder."""

    def text(self, value: str) -> str:
        """Return a text as a literal."""

    def at(self, table: Table) -> str:
        """Return the name of a table in SQL."""

    def prepare(self, tables: Iterable[Table]) -> None:
        """Create the tables that do not exist, and add the columns that a new release has.

        A table whose columns have other types in a new release is emptied, if it is rebuilt. Columns that
        somebody else added are kept, and stay null in new rows.
        """

    def view(self, name: str, query: str) -> None:
        """Create or replace a temporary view. It must not have the name of a view that the query reads."""

    def kept(self, name: str, query: str) -> AbstractContextManager[None]:
        """Create a temporary view whose rows are computed once, until the context ends."""

    def keep(self, name: str, query: str) -> None:
        """Create a temporary view whose rows are computed once, for as long as the session lives."""

    def mapped(
        self, name: str, query: str, function: BatchFunction, schema: pa.Schema
    ) -> AbstractContextManager[None]:
        """Create a temporary view of what a function makes of rows, computed once, until the context ends.

        Args:
            name: the view.
            query: the rows.
            function: function in a module that workers have, too.
            schema: columns of its results.
        """

    def append(self, table: Table, query: str, writer: str, number: int) -> None:
        """Append rows; do nothing if `writer` has appended the batch `number` or a later one already."""

    def replace(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        """Replace all rows of a small table."""

    def overwrite(self, table: Table, query: str, where: str | None) -> None:
        """Replace the rows of a table that fulfil a condition, or all; the new ones fulfil it, too."""

    def merge(self, table: Table, query: str, *, within: str = "TRUE") -> None:
        """Insert rows, or update those with the same key, if they differ.

        Args:
            table: the table, which has a key without nulls.
            query: at most one row per key.
            within: condition on the columns of the table, as `old`, that its rows with these keys fulfil: it
                spares reading other files.
        """

    def delete(self, table: Table, view: str, condition: str) -> None:
        """Delete the rows, as `old`, for which a row of `view`, as `new`, fulfils a condition."""

    def maintain(self, table: Table) -> None:
        """Join small files of a table; an engine may also remove those that are not needed any more.

        These are the files that no version of the table's retention period has.
        """


class Engine(Protocol):
    """Engine that runs the pipeline and opens its tables."""

    def run(self, inputs: Iterable[AnyPath], out: AnyPath) -> None:
        """Bring the tables in the folder `out` up to date with the inputs.

        Raises:
            FileNotFoundError: an input does not exist.
            IndexerError: the engine failed; the next run goes on where this one ended.
        """

    def open(self, out: AnyPath) -> AbstractContextManager[Lake]:
        """Open the tables in the folder `out`, which a run has made, until the context ends."""


def exists(lake: Lake, table: Table) -> bool:
    """Return whether a table exists."""
    return bool(StateFolder(f"{lake.url}/{table.name}/_delta_log").names())


def check_entries(url: str, table: Table, names: Iterable[str] | None = None) -> None:
    """Check that no entry is missing between others in the log of a table, since its last checkpoint.

    Args:
        url: folder of the tables.
        table: the table.
        names: files in its log; None: they are listed.

    Raises:
        DamagedLog: an entry is missing.
    """
    log = StateFolder(f"{url}/{table.name}/_delta_log")
    known = list(log.names() if names is None else names)
    since = max((name[:20] for name in known if ".checkpoint." in name), default="")
    entries = sorted(name for name in known if COMMIT.fullmatch(name) and name[:20] >= since)
    first = int(entries[0][:20]) if since and entries else 0
    for number, name in enumerate(entries, first):
        if int(name[:20]) != number:
            raise DamagedLog(
                log.path(f"{number:020d}.json"), "is missing, but the log of the table has later entries"
            )


def rows_in(lake: Lake, table: Table, where: str = "TRUE") -> list[Any]:
    """Return the rows of a small table."""
    return lake.rows(f"SELECT {', '.join(table.names)} FROM {lake.at(table)} WHERE {where}")


def spans_of(lake: Lake, view: str, column: str, alias: str) -> str:
    """Return a condition on `column` and `sequence` that the rows of a view fulfil, to leave out files by.

    It has the lowest and highest sequence for each value of `column`, of `MOST_SPANS` at most.
    """
    spans = lake.rows(
        f"SELECT {column} AS place, min(sequence) AS first, max(sequence) AS last FROM {view}"
        f" GROUP BY {column} ORDER BY {column} NULLS FIRST LIMIT {MOST_SPANS + 1}"
    )
    if len(spans) > MOST_SPANS:
        return "TRUE"
    conditions = (
        f"({alias}.{column} = {lake.text(place) if isinstance(place, str) else place}"
        f" AND {alias}.sequence BETWEEN {first} AND {last})"
        for place, first, last in spans
    )
    return " OR ".join(conditions) or "FALSE"
