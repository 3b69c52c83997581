"""The pipeline in this process, without a JVM: for data that one machine holds.

It reads the files, keeps the tables and writes the checkpoint as the stream of Spark does.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from pyibc.indexer.bronze.records import SCHEMA
from pyibc.indexer.bronze.stream import FIRST, BlockStreamReader, Offset
from pyibc.indexer.bronze.workers import decoded
from pyibc.indexer.local.lake import LocalLake
from pyibc.indexer.locations import AnyPath, folder_here, locked, make_results
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.places import CHECKPOINT, Checkpoint, given_names, prepare_tables, source_options
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.pipeline.tables import INCARNATIONS, REPLACED, TABLES

_CHECKED = (*TABLES, REPLACED, INCARNATIONS)
MAX_BYTES = 1 << 30
"""New bytes of a batch of several files, which DuckDB keeps until the batch is in the tables."""


def run_pipeline(
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    max_files: int | None = None,
    registry: AnyPath | None = None,
) -> int:
    """Bring the Delta tables in `out` up to date with `inputs`; return the number of batches.

    Args:
        inputs: one or several paths or URLs of files and folders: exports, recordings, names of chains.
        out: folder for the tables, on this machine.
        max_files: most new or grown files of a batch.
        registry: path or URL of the user's file of names and lineages of chains.

    Raises:
        IndexBusy: another run writes to the folder.
        FolderUnwritable: the folder cannot be created or written to.
        FileNotFoundError: an input or the user's file does not exist.
        UnreadableInput: `out` is not on this machine, or the user's file cannot be read.
        MalformedRegistry: the user's file is malformed.
        UnusableFolder: table libraries would misinterpret the name of the folder.
        DamagedLog: a table of earlier batches is missing, or its log ends with a missing or empty entry.
        DamagedTable: the disk has changed a file of a table.
        EngineFailed: a table cannot be read or written.
    """
    folder = folder_here(out)
    given = given_names(registry)
    make_results(folder)
    with locked(folder):
        lake = LocalLake(folder)
        pipeline = Pipeline(given=given, is_new=prepare_tables(lake))
        lake.check(_CHECKED)
        options = source_options(inputs, lake.url, max_files)
        reader = BlockStreamReader(SCHEMA, {**options, "maxbytespertrigger": str(MAX_BYTES)})
        number = _run(lake, reader, pipeline)
        lake.check(_CHECKED, budget=0)
        return number


def _run(lake: LocalLake, reader: BlockStreamReader, pipeline: Pipeline) -> int:
    """Process batches until all files that are there now are in the tables; return their number."""
    checkpoint = Checkpoint(f"{lake.url}/{CHECKPOINT}")
    reader.list_files()
    first = number = checkpoint.done + 1
    start: Offset = checkpoint.end(number - 1) or FIRST
    while True:
        # A batch that began is repeated with the same files.
        is_planned = number <= checkpoint.planned
        end = checkpoint.end(number) if is_planned else reader.next_offset(start, reader.max_files)
        if end is None or end == start:
            return number - first
        if not is_planned:
            checkpoint.plan(number, end)
        blocks = decoded(reader.partitions(start, end))
        lake.take("batch_given", pa.RecordBatchReader.from_batches(SCHEMA, blocks))
        pipeline.process(lake, number)
        checkpoint.finish(number)
        reader.commit(end)
        number, start = number + 1, end


class LocalEngine:
    """DuckDB and delta-rs in this process."""

    def run(self, inputs: Iterable[AnyPath], out: AnyPath) -> None:
        """Add new blocks of the inputs to the Delta tables in `out`, a folder that is created if absent.

        Raises:
            FileNotFoundError: an input does not exist.
            UnreadableInput: `out` is not on this machine.
            IndexerError: another run writes to `out`, or the engine failed; the next run goes on from there.
        """
        run_pipeline(inputs, out)

    @contextmanager
    def open(self, out: AnyPath) -> Iterator[Lake]:
        """Open the tables in `out`, until the context ends."""
        with (lake := LocalLake(folder_here(out))).connection:
            yield lake
