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

import duckdb
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake
from deltalake.exceptions import DeltaError

from pyibc.indexer.engines import ARROW, Columns, Dialect
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.local_engine import DIALECT, connect, failing
from pyibc.indexer.pipeline.lake import Table

_NAME = re.compile(r"\W")
_BATCH_ROWS = 65_536
_TOKEN = re.compile(r"\w+\(\d+,\d+\)|\w+|[<>:,]")


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
        self._read = dict[str, int]()  # versions of the tables that are registered, by name

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Database with the temporary views."""
        return self._base

    @property
    def url(self) -> str:
        """URL of the folder."""
        return f"file://{self._folder}"

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
        if table.name not in self._read:
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
            self._read.pop(table.name, None)

    def view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        self._forget(name)
        with failing():
            self._base.execute(f"CREATE TEMP VIEW {name} AS {query}")

    @contextmanager
    def kept(self, name: str, query: str) -> Iterator[None]:
        """Create a temporary view whose rows are computed once, until the context ends."""
        self.keep(name, query)
        try:
            yield
        finally:
            self._forget(name)

    def keep(self, name: str, query: str) -> None:
        """Create a temporary view whose rows are computed once, for as long as the session lives."""
        self._forget(name)
        with failing():
            self._base.execute(f"CREATE TEMP TABLE {name} AS {query}")

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register rows as the table `name`."""
        self.take(name, pa.RecordBatchReader.from_batches(_arrow(columns), [_batch(columns, rows)]))

    def take(self, name: str, batches: pa.RecordBatchReader) -> None:
        """Store record batches as the table `name`."""
        self._forget(name)
        with failing():
            self._base.register("batches_to_take", batches)
            self._base.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM batches_to_take")
            self._base.unregister("batches_to_take")

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result; structs become named tuples, too."""
        with failing():
            found = self._base.sql(query)
            row = _row(tuple(found.columns))
            return [row(*map(_plain, values)) for values in found.fetchall()]

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
        self._read.pop(table.name, None)

    def replace(self, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
        """Replace all rows of a small table."""
        with _writing():
            batch = pa.Table.from_batches([_batch(table.typed, rows)])
            write_deltalake(DeltaTable(self._path(table)), batch, mode="overwrite")
        self._read.pop(table.name, None)

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
        self._read.pop(table.name, None)

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
        self._read.pop(table.name, None)

    def _path(self, table: Table) -> str:
        return str(self._folder / table.name)

    def _register(self, table: Table, name: str) -> None:
        """Register the last version of a table as the view `name`."""
        with _writing():
            found = DeltaTable(self._path(table))
            files = found.file_uris()
            features = found.protocol().reader_features
        if features:  # such as deletion vectors: the rows are not those in the files
            raise EngineFailed("DuckDB", f"the table {table.name} needs {features[0]}, use Spark")
        self._forget(name)
        with failing():
            empty = self._base.from_arrow(_arrow(table.typed).empty_table())
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
        self._read[table.name] = found.version()

    def _batches(self, table: Table, query: str) -> pa.RecordBatchReader:
        """Run a query and return its columns as those of a table."""
        schema = _arrow(table.typed)
        listed = ", ".join(table.names)
        with failing():
            found = self._base.sql(f"SELECT {listed} FROM ({query}) AS every").to_arrow_reader(_BATCH_ROWS)
        return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in found))

    def _forget(self, name: str) -> None:
        for kind in ("VIEW", "TABLE"):
            with suppress(duckdb.CatalogException):  # the name is of the other kind
                self._base.execute(f"DROP {kind} IF EXISTS {name}")


@contextmanager
def _writing() -> Iterator[None]:
    """Convert errors of delta-rs to `EngineFailed` with the first line of their text."""
    try:
        yield
    except (DeltaError, OSError) as error:
        raise EngineFailed("delta-rs", str(error).partition("\n")[0]) from error


def _schema(table: Table) -> Schema:
    fields = [
        pa.field(column.name, arrow_type(column.type), metadata={"comment": column.comment})
        for column in table.columns
    ]
    return Schema.from_arrow(pa.schema(fields))


def _arrow(columns: Columns) -> pa.Schema:
    return pa.schema([(name, arrow_type(kind)) for name, kind in columns])


@lru_cache(maxsize=1024)
def arrow_type(kind: str) -> pa.DataType:
    """Return a type of Spark SQL as an Arrow type."""
    tokens = _TOKEN.findall(kind)
    return _parsed(iter(tokens))


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


def _batch(columns: Columns, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    schema = _arrow(columns)
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [
        pa.array([_shaped(value, field.type) for value in column], field.type)
        for column, field in zip(values, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _shaped(value: Any, kind: pa.DataType) -> Any:
    """Return a tuple for a struct as a mapping."""
    if value is None or not pa.types.is_struct(kind):
        return value
    return {field.name: _shaped(part, field.type) for field, part in zip(kind, value, strict=True)}


def _plain(value: Any) -> Any:
    """Return structs, which are mappings, as named tuples."""
    if isinstance(value, dict):
        return _row(tuple(value))(*map(_plain, value.values()))
    return [*map(_plain, value)] if isinstance(value, list) else value


@lru_cache(maxsize=1024)
def _row(names: tuple[str, ...]) -> Any:
    return namedtuple("Row", names)
