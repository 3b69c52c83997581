"""The tables of a folder of results as they are now, for readers that are not the engine that wrote them."""

import pyarrow as pa
import pyarrow.dataset as ds

from ibc_indexer.lake.delta import schema_of
from ibc_indexer.lake.state import NAME
from ibc_indexer.lake.state import table_files as files_of_version
from ibc_indexer.lake.tables import CONTRACTS
from ibc_indexer.storage.locations import Location, local


def table_files(out: Location, name: str) -> list[Location]:
    """The Parquet files of the table `name` in the folder of results `out`; none if there are no results.

    They are of the one version of all tables that belongs together, also while a run commits another.

    Raises:
        MalformedState: the results are not as they were left; or are being replaced: another try may succeed.
    """
    return files_of_version(out, name) if (out / NAME).exists() else []


def read_table(out: Location, name: str) -> pa.Table:
    """All rows of a table, in the types of its contract: times in UTC, amounts as decimals."""
    schema = schema_of(CONTRACTS[name].columns)
    files = [str(local(file)) for file in table_files(out, name)]
    return ds.dataset(files, schema=schema, format="parquet").to_table() if files else schema.empty_table()
