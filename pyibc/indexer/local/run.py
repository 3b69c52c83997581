"""The pipeline in this process, without a JVM: for data that one machine holds.

It reads the files, keeps the tables and writes the checkpoint as the stream of Spark does.
"""

from collections.abc import Iterable

import pyarrow as pa

from pyibc.indexer.bronze.records import SCHEMA
from pyibc.indexer.bronze.stream import FIRST, BlockStreamReader, Offset
from pyibc.indexer.local.lake import LocalLake
from pyibc.indexer.local.workers import decoded
from pyibc.indexer.locations import AnyPath, folder_here, locked
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.places import (
    CHECKPOINT,
    SOURCE,
    Checkpoint,
    given_names,
    input_list,
    results_list,
)
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.pipeline.tables import TABLES

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
        FileNotFoundError: an input or the user's file does not exist.
        UnreadableInput, MalformedRegistry: the user's file cannot be used, or `out` is not on this machine.
        UnusableFolder: table libraries would misinterpret the name of the folder.
        EngineFailed: a table cannot be read or written.
    """
    folder = folder_here(out)
    known = given_names(registry)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        lake = LocalLake(folder)
        lake.prepare(TABLES)
        options = {"rows": "blocks", "paths": input_list(inputs), "statelocation": f"{lake.url}/{SOURCE}"}
        options |= {"without": results_list(lake.url), "maxbytespertrigger": str(MAX_BYTES)}
        if max_files is not None:
            options["maxfilespertrigger"] = str(max_files)
        reader = BlockStreamReader(SCHEMA, options)
        return _Run(lake, reader, Pipeline(given=known)).done()


class LocalEngine:
    """DuckDB and delta-rs in this process."""

    def run(self, inputs: Iterable[AnyPath], out: AnyPath) -> None:
        """Bring the tables in `out`, a folder on this machine, up to date with the inputs."""
        run_pipeline(inputs, out)

    def open(self, out: AnyPath) -> Lake:
        """Open the tables in `out`."""
        return LocalLake(folder_here(out))


class _Run:
    """Batches until all files that are there now are in the tables."""

    def __init__(self, lake: LocalLake, reader: BlockStreamReader, pipeline: Pipeline) -> None:
        self._lake, self._reader, self._pipeline = lake, reader, pipeline
        self._checkpoint = Checkpoint(f"{lake.url}/{CHECKPOINT}")

    def done(self) -> int:
        """Process the batches; return their number."""
        reader, checkpoint = self._reader, self._checkpoint
        reader.list_files()
        number, begun = checkpoint.done + 1, 0
        start: Offset = checkpoint.end(number - 1) or FIRST
        while True:
            # A batch that began is repeated with the same files.
            is_planned = number <= checkpoint.planned
            end = checkpoint.end(number) if is_planned else reader.next_offset(start, reader.max_files)
            if end is None or end == start:
                return begun
            if not is_planned:
                checkpoint.plan(number, end)
            self._process(number, start, end)
            checkpoint.finish(number)
            reader.commit(end)
            number, start, begun = number + 1, end, begun + 1

    def _process(self, number: int, start: Offset, end: Offset) -> None:
        batches = decoded(self._reader.partitions(start, end))
        self._lake.take("batch_given", pa.RecordBatchReader.from_batches(SCHEMA, batches))
        self._pipeline.process(self._lake, number)
