"""A table's files in Delta's log, committed by delta-rs; what is superseded removed.

The files are written by whichever engine made the rows: the log names them, and readers of Delta see those of
one version. Who reads the folder as plain Parquet sees the right rows too after a run, as no others stay.
"""

import shutil
import time
from collections.abc import Container, Sequence
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from deltalake.transaction import AddAction, RemoveAction

from ibc_indexer.engines import ARROW, Columns
from ibc_indexer.errors import EngineFailed
from ibc_indexer.lake.state import DataFile
from ibc_indexer.storage.locations import Location, inside
from ibc_indexer.storage.objects import ObjectPath

LOG = "_delta_log"
_CONFIGURATION = {
    "delta.checkpointInterval": "20",
    "delta.logRetentionDuration": "interval 1 days",
    "delta.enableExpiredLogCleanup": "true",
}


def schema_of(columns: Columns) -> pa.Schema:
    """The columns of a table as it is stored."""
    return pa.schema([(name, ARROW[kind]) for name, kind in columns])


def commit(folder: Location, columns: Columns, files: Sequence[DataFile]) -> int:
    """Makes `files`, which are in `folder`, all that the table has; returns the version that is so.

    The log tells how many rows a file has and no more: files are pruned by what they say themselves.
    Whatever else the log says (a run that was killed, another writer) is taken back by the same commit. A log
    that cannot be read is begun anew. Of a bucket's the log is committed to here, and carried there.

    Raises:
        StorageFault: a store does not take it.
        EngineFailed: delta-rs does not.
    """
    try:
        if isinstance(folder, ObjectPath):
            from ibc_indexer.storage.logs import carried

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
    """Removes from a table's folder every file that is not among the names `kept`."""
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
        pass  # none, or none that can be read
    log = folder / LOG
    if log.is_symlink() or log.is_file():
        log.unlink()
    shutil.rmtree(log, ignore_errors=True)
    return DeltaTable.create(str(folder), schema, mode="error", configuration=_CONFIGURATION)
