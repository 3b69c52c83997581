"""Delta tables of the pipeline in this process: DuckDB queries them, and delta-rs writes them."""

import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from glob import escape
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Any
from urllib.parse import unquote

import duckdb
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, WriterProperties, write_deltalake
from deltalake.exceptions import DeltaError

from pyibc.indexer.checksums import BUDGET, add_checksums, remove_checksums, remove_files, verify
from pyibc.indexer.errors import EngineFailed, IndexerError
from pyibc.indexer.pipeline.lake import BatchFunction, Table
from pyibc.indexer.sql import Columns, Dialect, arrow_schema, arrow_table, arrow_type

DIALECT = Dialect(
    time_type="timestamptz",
    time_form="make_timestamptz({} // 1000)",
    micros_form="epoch_us({})",
    percentiles_form="quantile_disc({}, [{}])",
    # sums of bignum cannot overflow
    total_form="TRY_CAST(CAST(sum(CAST(CAST({} AS varchar) AS bignum)) AS varchar) AS DECIMAL(38,0))",
    each_form="{rows} CROSS JOIN unnest({array}) AS unnested({name})",
    struct_form="struct_pack({})",
    field_form="{name} := {value}",
    array_form="[{}]",
)

MEMORY = 2 << 30
"""Memory limit in bytes, beyond which DuckDB spills to the disk; its own limit applies if that is lower."""
_JOINED_BYTES = 8 << 20  # of a file that small ones are joined to
_BATCH_ROWS = 65_536
_MAPPED_ROWS = 4096  # rows that a function has at once, such as blocks
_CAUSE = re.compile(r"\s*(\x1b\[\d+m)?↳(\x1b\[\d+m)?\s*")  # before a cause in errors of delta-rs
_VALUES = re.compile(r":? *\w+ \{ .*")  # values of Rust's types in errors of delta-rs
_ERRORS = {"DuckDB": (duckdb.Error,), "delta-rs": (DeltaError, pa.ArrowException, OSError)}


@contextmanager
def failing(engine: str = "DuckDB", table: str = "") -> Iterator[None]:
    """Convert errors of an engine to `EngineFailed`: the table, the first line of their text, and causes.

    Values of Rust's types, which may fill pages, are left out of the text.
    """
    try:
        yield
    except _ERRORS[engine] as error:
        first, *more = str(error).split("\n")
        told = [first, *(_CAUSE.sub("", line) for line in more if _CAUSE.match(line))]
        told = [_VALUES.sub("", line)[:300] for line in told]
        raise EngineFailed(engine, ": ".join([table, *told] if table else told)) from error


def connect(scratch: Path) -> duckdb.DuckDBPyConnection:
    """Open a database in memory, which spills to the folder `scratch`."""
    base = duckdb.connect(":memory:", config={"temp_directory": str(scratch)})
    base.execute("SET preserve_insertion_order = false")
    base.execute("SET GLOBAL TimeZone = 'UTC'")  # of its cursors, too
    of_own = "parse_formatted_bytes(current_setting('memory_limit')), current_setting('enable_progress_bar')"
    ((own, shows_progress),) = base.execute(f"SELECT {of_own}").fetchall()
    if shows_progress:  # on stdout, in interactive Python; in Jupyter the setting needs ipywidgets
        base.execute("SET enable_progress_bar = false")
    base.execute(f"SET memory_limit = '{min(own, MEMORY)} bytes'")
    return base


def paths_of(urls: Iterable[str]) -> list[str]:
    """Return the files of a Delta table on this machine by their URLs in delta-rs."""
    return [unquote(url).removeprefix("file://") for url in urls]


def patterns_of(urls: Iterable[str]) -> list[str]:
    """Return these files as patterns of DuckDB."""
    return [*map(escape, paths_of(urls))]


def _named(value: Any) -> Any:
    """Return a struct, and those in lists and structs, as named tuples."""
    if isinstance(value, dict):
        return _row(tuple(value))(*map(_named, value.values()))
    return [*map(_named, value)] if isinstance(value, list) else value


_row: Callable[[tuple[str, ...]], Any] = lru_cache(maxsize=1024)(partial(namedtuple, "Row"))


def _form(table: Table) -> WriterProperties:
    return WriterProperties(compression="SNAPPY", max_row_group_size=table.group_rows)


class LocalLake:
    """Delta tables in a folder of this machine.

    Args:
        folder: folder of the tables.
    """

    dialect = DIALECT

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = folder.absolute().as_uri()
        # DuckDB creates the folder when something does not fit into memory, and removes it.
        self.connection = connect(Path(gettempdir()) / f"pyibc-{token_hex(8)}")
        # Spark's name of a function, and a schema for rows behind views, which users do not list.
        self.connection.execute("CREATE MACRO array_size(items) AS len(items); CREATE SCHEMA kept")
        self._current = set[str]()  # names of tables whose views are of their last versions

    def text(self, value: str) -> str:
        """Return a text as a literal of DuckDB."""
        return "'" + value.replace("'", "''") + "'"

    def expect(self, rows: int) -> None:
        """Ignore the number: DuckDB does not need it."""

    def at(self, table: Table) -> str:
        """Return the name of a table in SQL: a view of its last version."""
        name = table.name.replace("/", "_")
        if table.name in self._current:
            return name
        with failing("delta-rs", table.name):
            found = DeltaTable(self._path(table))
            files, protocol = patterns_of(found.file_uris()), found.protocol()
        if protocol.min_reader_version > 1:  # the rows and columns are not those in the files
            needed = (protocol.reader_features or ["columnMapping"])[0]
            raise EngineFailed("DuckDB", f"the table {table.name} needs {needed}, use Spark")
        with failing():
            empty = self.connection.from_arrow(arrow_schema(table.typed).empty_table())
            rows = self.connection.sql("SELECT 1 WHERE FALSE")
            if files:
                rows = self.connection.read_parquet(files, hive_partitioning=True, union_by_name=True)
            there = {*rows.columns}
            # The names of folders give texts, and files of an old release lack new columns.
            listed = ", ".join(
                f"CAST({column if column in there else 'NULL'} AS {kind}) AS {column}"
                for column, kind in zip(empty.columns, empty.types, strict=True)
            )
            rows.project(listed).create_view(name)
        self._current.add(table.name)
        return name

    def prepare(self, tables: Iterable[Table]) -> None:
        """Create the tables that do not exist, and add the columns that a new release has.

        A table whose columns have other types in a new release is emptied, if it is rebuilt. Columns that
        somebody else added are kept, and stay null in new rows.
        """
        for table in tables:
            columns = (
                pa.field(c.name, arrow_type(c.type), metadata={"comment": c.comment}) for c in table.columns
            )
            wanted = Schema.from_arrow(pa.schema(columns))
            with failing("delta-rs", table.name):
                found = DeltaTable.create(
                    self._path(table),
                    wanted,
                    mode="ignore",
                    partition_by=list(table.partitioned_by) or None,
                    description=table.comment,
                    configuration=dict(table.properties),
                )
                there = {field.name: field for field in found.schema().fields}
                new = {field.name: field for field in wanted.fields}
                if table.is_rebuilt and any(there.get(name, f).type != f.type for name, f in new.items()):
                    empty = pa.schema(Schema([*(there | new).values()])).empty_table()
                    write_deltalake(found, empty, mode="overwrite", schema_mode="overwrite")
                elif added := [field for name, field in new.items() if name not in there]:
                    found.alter.add_columns(added)
            self._current.discard(table.name)

    def check(self, tables: Iterable[Table], budget: int = BUDGET) -> None:
        """Write the checksums of new files of tables, and verify `budget` bytes of the others.

        Raises:
            DamagedTable: a file differs from its checksums.
            DamagedLog: a file is missing.
            EngineFailed: a file cannot be read or written.
        """
        known = list[Path]()
        for table in tables:
            with failing("delta-rs", table.name):
                known += add_checksums(self._files(table))
        with failing("delta-rs"):
            verify(known, budget)

    @failing()
    def view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        self.connection.execute(f"CREATE OR REPLACE VIEW {name} AS {query}")

    @contextmanager
    def kept(self, name: str, query: str) -> Iterator[None]:
        """Create a temporary view whose rows are computed once, until the context ends."""
        self.keep(name, query)
        try:
            yield
        finally:
            self._drop(name)

    def keep(self, name: str, query: str) -> None:
        """Create a temporary view whose rows are computed once, for as long as the session lives."""
        with failing():
            self.connection.execute(f"CREATE OR REPLACE TABLE kept.{name} AS {query}")
        self.view(name, f"SELECT * FROM kept.{name}")

    @contextmanager
    def mapped(self, name: str, query: str, function: BatchFunction, schema: pa.Schema) -> Iterator[None]:
        """Create a temporary view of what a function makes of rows, until the context ends."""
        with failing(), self.connection.cursor() as source:  # a connection has one query at a time
            rows = source.sql(query).to_arrow_reader(_MAPPED_ROWS)
            self.take(name, pa.RecordBatchReader.from_batches(schema, function(rows)))
        try:
            yield
        finally:
            self._drop(name)

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register rows as the table `name`."""
        self.take(name, arrow_table(columns, rows).to_reader())

    def take(self, name: str, batches: pa.RecordBatchReader) -> None:
        """Store record batches as the table `name`.

        Raises:
            IndexerError: what the batches come from failed, with the error of that.
            EngineFailed: DuckDB failed.
        """
        failed = list[IndexerError]()

        def until_failure() -> Iterator[pa.RecordBatch]:
            try:
                yield from batches
            except IndexerError as error:  # DuckDB would keep its text only
                failed.append(error)

        whole = pa.RecordBatchReader.from_batches(batches.schema, until_failure())
        self._drop(name)
        with failing():
            self.connection.from_arrow(whole).create(f"kept.{name}")
        if failed:
            raise failed[0]
        self.view(name, f"SELECT * FROM kept.{name}")

    @failing()
    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result; structs become named tuples, too."""
        found = self.connection.execute(query)
        row = _row(tuple(name for name, *_ in found.description or ()))
        return [row(*map(_named, values)) for values in found.fetchall()]

    def append(self, table: Table, query: str, writer: str, number: int) -> None:
        """Append rows; do nothing if `writer` has appended the batch `number` or a later one already."""
        name = f"{writer}-{table.name}"
        with self._changing(table) as found:
            done = found.transaction_version(name)
            if done is None or done < number:
                told = CommitProperties(app_transactions=[Transaction(name, number)])
                rows = self._batches(table, query)  # without the columns that somebody else added
                write_deltalake(
                    found,
                    rows,
                    mode="append",
                    schema_mode="merge",
                    commit_properties=told,
                    writer_properties=_form(table),
                )

    def replace(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        """Replace all rows of a small table."""
        with self._changing(table) as found:
            write_deltalake(found, arrow_table(table.typed, rows), mode="overwrite", schema_mode="merge")

    def overwrite(self, table: Table, query: str, where: str | None) -> None:
        """Replace the rows of a table that fulfil a condition, or all; the new ones fulfil it, too."""
        with self._changing(table) as found:
            rows = self._batches(table, query)  # without the columns that somebody else added
            write_deltalake(found, rows, mode="overwrite", schema_mode="merge", predicate=where)

    def merge(self, table: Table, query: str, *, within: str = "TRUE") -> None:
        """Insert rows, or update those with the same key, if they differ."""
        equal = " AND ".join(f"old.{name} IS NOT DISTINCT FROM new.{name}" for name in table.names)
        same = " AND ".join((*(f"old.{name} = new.{name}" for name in table.key), f"({within})"))
        known = f"(SELECT * FROM {self.at(table)} AS old WHERE {within})"
        differing = f"SELECT new.* FROM ({query}) AS new ANTI JOIN {known} AS old ON {equal}"
        with self.kept("rows_to_merge", differing):
            if self.rows("SELECT 1 AS found FROM rows_to_merge LIMIT 1"):
                with self._changing(table) as found:
                    rows = self._batches(table, "SELECT * FROM rows_to_merge")
                    merger = found.merge(rows, same, source_alias="new", target_alias="old")
                    merger.when_matched_update_all().when_not_matched_insert_all().execute()

    def delete(self, table: Table, view: str, condition: str) -> None:
        """Delete the rows, as `old`, for which a row of `view`, as `new`, fulfils a condition."""
        with failing():
            rows = self.connection.sql(f"SELECT * FROM {view}").to_arrow_table()
        with self._changing(table) as found:
            merger = found.merge(rows, condition, source_alias="new", target_alias="old")
            merger.when_matched_delete().execute()

    def maintain(self, table: Table) -> None:
        """Join small files of a table, and remove those that no version of its retention period needs."""
        with self._changing(table) as found:
            found.optimize.compact(target_size=_JOINED_BYTES, writer_properties=_form(table))
            # delta-rs would also remove checksum files that are needed, as no version has them.
            remove_files(self._folder / table.name / name for name in found.vacuum(full=True))

    def _path(self, table: Table) -> str:
        return f"{self.url}/{table.name}"

    def _files(self, table: Table) -> Iterator[Path]:
        """Yield the files in the last version of a table, if it exists, and the needed ones of its log."""
        log = self._folder / table.name / "_delta_log"
        names = [path.name for path in log.glob("[0-9]*")]
        if not names:  # it was created by a run that was killed, or is not needed yet
            return
        checkpoint = max((name[:20] for name in names if ".checkpoint." in name), default="")
        needed = [name for name in names if name[:20] >= checkpoint]
        remove_checksums(log, names)  # of entries that are gone, and of `_last_checkpoint`, which changes
        yield from (log / name for name in needed)
        yield from map(Path, paths_of(DeltaTable(self._path(table)).file_uris()))

    @contextmanager
    def _changing(self, table: Table) -> Iterator[DeltaTable]:
        """Open the last version of a table for a change by delta-rs."""
        with failing("delta-rs", table.name):
            yield DeltaTable(self._path(table))
        self._current.discard(table.name)

    @failing()
    def _batches(self, table: Table, query: str) -> pa.RecordBatchReader:
        """Run a query and return its columns as those of a table."""
        found = self.connection.sql(f"SELECT {', '.join(table.names)} FROM ({query}) AS every")
        return found.to_arrow_reader(_BATCH_ROWS).cast(arrow_schema(table.typed))

    def _drop(self, name: str) -> None:
        self.connection.execute(f"DROP VIEW IF EXISTS {name}; DROP TABLE IF EXISTS kept.{name}")
