"""Commits of table files to the Delta log with delta-rs, and removal of superseded files.

The engine writes the files and the log lists them, so Delta readers see one version. Superseded files are
removed, so readers of plain Parquet see the correct rows after a run, too.
"""

import shutil
import time
from collections.abc import Container, Sequence
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from deltalake.transaction import AddAction, RemoveAction

from pyibc.indexer.engines import ARROW, Columns
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.lake.state import DataFile
from pyibc.indexer.storage.locations import Location, inside
from pyibc.indexer.storage.objects import ObjectPath

LOG = "_delta_log"
_CONFIGURATION = {
    "delta.checkpointInterval": "20",
    "delta.logRetentionDuration": "interval 1 days",
    "delta.enableExpiredLogCleanup": "true",
}


def schema_of(columns: Columns) -> pa.Schema:
    """Return the Arrow schema of a table's files."""
    return pa.schema([(name, ARROW[kind]) for name, kind in columns])


def commit(folder: Location, columns: Columns, files: Sequence[DataFile]) -> int:
    """Commit a version of the table with exactly `files`, which are in `folder`; return the version.

    The log contains the row count of a file as its only statistic; files are pruned by their own statistics.
    The commit reverts entries by a killed run or another writer. An unreadable log is recreated. The log of a
    table in a bucket is written on this machine and uploaded.

    Raises:
        StorageFault: the upload failed.
        EngineFailed: delta-rs failed.
    """
    try:
        if isinstance(folder, ObjectPath):
            from pyibc.indexer.storage.logs import carried

            with carried(folder) as here:
                return _commit(here, columns, files)
        return _commit(folder, columns, files)
    except DeltaError as error:
        raise EngineFailed("Delta", str(error).partition("\n")[0]) from error


def _commit(folder: Path, columns: Columns, files: Sequence[DataFile]) -> int:
    schema = schema_of(columns)
    table = _opened(folder, schema)
    wanted = {file.name: file for file in files}
    there = set(pa.table(table.get_add_actions())["path"].to_pylist())
    now = int(time.time() * 1000)
    # guard: h112-another-writer-s-files-stay-in-the-log {sorted(there - wanted.keys()) => ()}
    #   test_h112_a_log_that_is_damaged_or_anothers_is_taken_back
    gone = [RemoveAction(path, True, now) for path in sorted(there - wanted.keys())]
    new = [
        AddAction(file.name, file.size, {}, now, True, f'{{"numRecords":{file.rows}}}')
        for name, file in wanted.items()
        if name not in there
    ]
    if gone or new:
        table.create_write_transaction([*new, *gone], "append", schema)
        table.update_incremental()
    return int(table.version())


def remove_others(folder: Location, kept: Container[str]) -> None:
    """Remove all files from a table's folder, except those with the names `kept`."""
    for path in inside(folder):
        if path.name not in kept and (path.is_symlink() or not path.is_dir()):
            path.unlink()


def _opened(folder: Path, schema: pa.Schema) -> DeltaTable:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        table = DeltaTable(str(folder))
        # guard: h112-other-columns-are-believed always
        #   test_h112_a_log_that_is_damaged_or_anothers_is_taken_back
        if pa.schema(table.schema().to_arrow()) == schema:
            return table
    except (DeltaError, OSError, ValueError):
        pass  # the log does not exist or is not readable
    log = folder / LOG
    if log.is_symlink() or log.is_file():
        log.unlink()
    shutil.rmtree(log, ignore_errors=True)
    return DeltaTable.create(str(folder), schema, mode="error", configuration=_CONFIGURATION)
