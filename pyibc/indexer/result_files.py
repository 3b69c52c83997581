"""Access to the current tables in a result folder, independent of the engine that wrote them."""

import pyarrow as pa
import pyarrow.dataset as ds

from pyibc.indexer.lake.delta import schema_of
from pyibc.indexer.lake.state import NAME
from pyibc.indexer.lake.state import table_files as files_of_version
from pyibc.indexer.lake.tables import CONTRACTS
from pyibc.indexer.storage.locations import Location, local


def table_files(out: Location, name: str) -> list[Location]:
    """Return the Parquet files of the table `name` in the result folder `out`; none without results.

    The files belong to a consistent version of all tables, also while a run commits another version.

    Raises:
        MalformedState: the results were modified, or are being replaced; in the latter case a retry may
            succeed.
    """
    return files_of_version(out, name) if (out / NAME).exists() else []


def read_table(out: Location, name: str) -> pa.Table:
    """Read all rows of a table with its declared types: times in UTC, amounts as decimals."""
    schema = schema_of(CONTRACTS[name].columns)
    files = [str(local(file)) for file in table_files(out, name)]
    return ds.dataset(files, schema=schema, format="parquet").to_table() if files else schema.empty_table()
