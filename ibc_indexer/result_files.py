"""The tables of a folder of results as they are now, for readers that are not the engine that wrote them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from ibc_indexer import packet_table, tables
from ibc_indexer.engines import Columns
from ibc_indexer.local_engine import DIALECT
from ibc_indexer.transfers import table as transfers_table

_MAKERS = (
    tables.transactions_table,
    tables.messages_table,
    tables.clients_table,
    tables.channels_table,
)
COLUMNS: dict[str, Columns] = {
    "packets": packet_table.COLUMNS,
    "transfers": transfers_table.COLUMNS,
    **{table.name: table.columns for table in (make(DIALECT) for make in _MAKERS)},
}
"""The columns of every table, by its name."""
_TYPES = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "tinyint": pa.int8(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"),
    "decimal(38,0)": pa.decimal128(38, 0),
}


def table_files(out: Path, name: str) -> list[Path]:
    """The Parquet files of the table `name` in the folder of results `out`; none if it is not there."""
    folder = out / name
    if (folder / "_delta_log").is_dir():
        return sorted(Path(file) for file in DeltaTable(str(folder)).file_uris())
    return sorted(folder.glob("*.parquet"))


def read_table(out: Path, name: str) -> pa.Table:
    """All rows of a table, in the types of its contract: times in UTC, amounts as decimals."""
    schema = pa.schema([(column, _TYPES[kind]) for column, kind in COLUMNS[name]])
    files = [str(file) for file in table_files(out, name)]
    return ds.dataset(files, schema=schema, format="parquet").to_table() if files else schema.empty_table()
