"""The tables of a folder of results as they are now, for readers that are not the engine that wrote them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from ibc_indexer.lake.delta import LOG, schema_of
from ibc_indexer.lake.tables import CONTRACTS


def table_files(out: Path, name: str) -> list[Path]:
    """The Parquet files of the table `name` in the folder of results `out`; none if it is not there."""
    folder = out / name
    return sorted(map(Path, DeltaTable(str(folder)).file_uris())) if (folder / LOG).is_dir() else []


def read_table(out: Path, name: str) -> pa.Table:
    """All rows of a table, in the types of its contract: times in UTC, amounts as decimals."""
    schema = schema_of(CONTRACTS[name].columns)
    files = [str(file) for file in table_files(out, name)]
    return ds.dataset(files, schema=schema, format="parquet").to_table() if files else schema.empty_table()
