"""Delta tables of the pipeline in this process: DuckDB queries them, and delta-rs writes them."""

import re
from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Any
from urllib.parse import unquote

import duckdb
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake
from deltalake.exceptions import DeltaError

from pyibc.indexer.errors import EngineFailed, IndexerError
from pyibc.indexer.pipeline.lake import BatchFunction, Table
from pyibc.indexer.sql import Columns, Dialect, arrow_schema, arrow_table, arrow_type

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

_NAME = re.compile(r"\W")
_TAKEN = "batches_to_take"
_BATCH_ROWS = 65_536
_MAPPED_ROWS = 4096  # rows that a function has at once, such as blocks


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


class LocalLake:
    """Delta tables in a folder of this machine.

    Args:
        folder: folder of the tables.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        # DuckDB creates the folder when something does not fit into memory, and removes it.
        self._base = connect(Path(gettempdir()) / f"pyibc-{token_hex(8)}")
        self._base.execute("CREATE MACRO array_size(items) AS len(items)")  # Spark's name
        self._current = set[str]()  # names of tables whose views are of their last versions

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Database with the temporary views."""
        return self._base

    @property
    def url(self) -> str:
        """URL of the folder."""
        return self._folder.as_uri()

    @property
    def dialect(self) -> Dialect:
        """SQL dialect of DuckDB."""
        return DIALECT

    def text(self, value: str) -> str:
        """Return a text as a literal of DuckDB."""
        return "'" + value.replace("'", "''") + "'"

    def expect(self, rows: int) -> None:
        """Ignore the number: DuckDB does not need it."""

    def at(self, table: Table) -> str:
        """Return the name of a table in SQL."""
        name = _NAME.sub("_", table.name)
        if table.name not in self._current:
            self._register(table, name)
        return name

    def prepare(self, tables: Iterable[Table]) -> None:
        """Create the tables that do not exist, and add the columns that a new release has.

        Columns that somebody else added are kept, and stay null in new rows.
        """
        for table in tables:
            wanted = _schema(table)
            with _writing():
                found = DeltaTable.create(
                    self._path(table),
                    wanted,
                    mode="ignore",
                    partition_by=list(table.partitioned_by) or None,
                    description=table.comment,
                    configuration=dict(table.properties),
                )
                there = {field.name for field in found.schema().fields}
                added = [field for field in wanted.fields if field.name not in there]
                if added:
                    found.alter.add_columns(added)
            self._current.discard(table.name)

    def view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        forget(self._base, name)
        with failing():
            self._base.execute(f"CREATE TEMP VIEW {name} AS {query}")

    @contextmanager
    def kept(self, name: str, query: str) -> Iterator[None]:
        """Create a temporary view whose rows are computed once, until the context ends."""
        self.keep(name, query)
        try:
            yield
        finally:
            forget(self._base, name)

    def keep(self, name: str, query: str) -> None:
        """Create a temporary view whose rows are computed once, for as long as the session lives."""
        forget(self._base, name)
        with failing():
            self._base.execute(f"CREATE TEMP TABLE {name} AS {query}")

    @contextmanager
    def mapped(self, name: str, query: str, function: BatchFunction, schema: pa.Schema) -> Iterator[None]:
        """Create a temporary view of what a function makes of rows, until the context ends."""
        source = f"{name}_source"
        with self.kept(source, query):
            self.take(name, schema.empty_table().to_reader())
            (found,) = self.rows(f"SELECT count(*) AS number FROM {source}")
            for first in range(0, found.number, _MAPPED_ROWS):
                within = f"rowid BETWEEN {first} AND {first + _MAPPED_ROWS - 1}"
                with failing():
                    part = self._base.sql(f"SELECT * FROM {source} WHERE {within}").to_arrow_table()
                self._from_arrow(
                    pa.Table.from_batches(function(part.to_batches()), schema).to_reader(),
                    f"INSERT INTO {name}",
                )
        try:
            yield
        finally:
            forget(self._base, name)

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register rows as the table `name`."""
        self.take(name, arrow_table(columns, rows).to_reader())

    def take(self, name: str, batches: pa.RecordBatchReader) -> None:
        """Store record batches as the table `name`.

        Raises:
            IndexerError: what the batches come from failed, with the error of that.
            EngineFailed: DuckDB failed.
        """
        forget(self._base, name)
        failed = list[IndexerError]()
        source = pa.RecordBatchReader.from_batches(batches.schema, _noting(batches, failed))
        try:
            self._from_arrow(source, f"CREATE TEMP TABLE {name} AS")
        except EngineFailed:
            if failed:  # DuckDB knows only its text
                raise failed[0] from None
            raise

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result; structs become named tuples, too."""
        return named_rows(self._base, query)

    def append(self, table: Table, query: str, writer: str, number: int) -> None:
        """Append rows; do nothing if `writer` has appended the batch `number` or a later one already."""
        name = f"{writer}-{table.name}"
        with _writing():
            found = DeltaTable(self._path(table))
            done = found.transaction_version(name)
            if done is not None and done >= number:
                return
            write_deltalake(
                found,
                self._batches(table, query),
                mode="append",
                commit_properties=CommitProperties(app_transactions=[Transaction(name, number)]),
            )
        self._current.discard(table.name)

    def replace(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        """Replace all rows of a small table."""
        with _writing():
            whole = arrow_table(table.typed, rows)
            write_deltalake(DeltaTable(self._path(table)), whole, mode="overwrite")
        self._current.discard(table.name)

    def merge(self, table: Table, query: str, *, within: str = "TRUE") -> None:
        """Insert rows, or update those with the same key, if they differ."""
        equal = " AND ".join(f"old.{name} IS NOT DISTINCT FROM new.{name}" for name in table.names)
        differing = f"SELECT new.* FROM ({query}) AS new ANTI JOIN {self.at(table)} AS old ON {equal}"
        with self.kept("rows_to_merge", differing):
            if not self.rows("SELECT 1 AS found FROM rows_to_merge LIMIT 1"):
                return
            same = " AND ".join(f"old.{name} = new.{name}" for name in table.key)
            with _writing():
                (
                    DeltaTable(self._path(table))
                    .merge(
                        self._batches(table, "SELECT * FROM rows_to_merge"),
                        f"{same} AND ({within})",
                        source_alias="new",
                        target_alias="old",
                    )
                    .when_matched_update_all()
                    .when_not_matched_insert_all()
                    .execute()
                )
        self._current.discard(table.name)

    def delete(self, table: Table, view: str, condition: str) -> None:
        """Delete the rows, as `old`, for which a row of `view`, as `new`, fulfils a condition."""
        with failing():
            rows = self._base.sql(f"SELECT * FROM {view}").to_arrow_table()
        with _writing():
            (
                DeltaTable(self._path(table))
                .merge(rows, condition, source_alias="new", target_alias="old")
                .when_matched_delete()
                .execute()
            )
        self._current.discard(table.name)

    def _from_arrow(self, batches: pa.RecordBatchReader, statement: str) -> None:
        """Run a statement that goes on with a query for record batches."""
        with failing():
            self._base.register(_TAKEN, batches)
            try:
                self._base.execute(f"{statement} SELECT * FROM {_TAKEN}")
            finally:
                self._base.unregister(_TAKEN)

    def _path(self, table: Table) -> str:
        return (self._folder / table.name).as_uri()

    def _register(self, table: Table, name: str) -> None:
        """Register the last version of a table as the view `name`."""
        with _writing():
            found = DeltaTable(self._path(table))
            files = patterns_of(found.file_uris())
            features = found.protocol().reader_features
        if features:  # such as deletion vectors: the rows are not those in the files
            raise EngineFailed("DuckDB", f"the table {table.name} needs {features[0]}, use Spark")
        forget(self._base, name)
        with failing():
            empty = self._base.from_arrow(arrow_schema(table.typed).empty_table())
            if files:
                rows = self._base.read_parquet(files, hive_partitioning=True, union_by_name=True)
                there = {*rows.columns}
                # The names of folders give texts, and files of an old release lack new columns.
                listed = ", ".join(
                    f"CAST({column if column in there else 'NULL'} AS {kind}) AS {column}"
                    for column, kind in zip(empty.columns, empty.types, strict=True)
                )
                rows.project(listed).create_view(name)
            else:
                empty.create(name)
        self._current.add(table.name)

    def _batches(self, table: Table, query: str) -> pa.RecordBatchReader:
        """Run a query and return its columns as those of a table."""
        schema = arrow_schema(table.typed)
        listed = ", ".join(table.names)
        with failing():
            found = self._base.sql(f"SELECT {listed} FROM ({query}) AS every").to_arrow_reader(_BATCH_ROWS)
        return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in found))


def _noting(batches: Iterable[pa.RecordBatch], failed: list[IndexerError]) -> Iterator[pa.RecordBatch]:
    """Yield record batches, and note the error that ends them."""
    try:
        yield from batches
    except IndexerError as error:
        failed.append(error)
        raise


@contextmanager
def _writing() -> Iterator[None]:
    """Convert errors of delta-rs to `EngineFailed` with the first line of their text."""
    try:
        yield
    except (DeltaError, pa.ArrowException, OSError) as error:
        raise EngineFailed("delta-rs", str(error).partition("\n")[0]) from error


def _schema(table: Table) -> Schema:
    fields = [
        pa.field(column.name, arrow_type(column.type), metadata={"comment": column.comment})
        for column in table.columns
    ]
    return Schema.from_arrow(pa.schema(fields))
