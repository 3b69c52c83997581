"""The pipeline as a structured stream: each batch of blocks goes through silver to gold."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.storagelevel import StorageLevel

from pyibc.indexer.bronze.files import StateFolder
from pyibc.indexer.given import AnyPath, existing
from pyibc.indexer.names.registry import NOTHING, Registry, read_file
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.observations import Batch
from pyibc.indexer.pipeline.packets import affected, merge_packets
from pyibc.indexer.pipeline.progress import update_chains, write_chains
from pyibc.indexer.pipeline.routes import add_observed, add_votes, find_routes, write_routes
from pyibc.indexer.pipeline.silver import (
    Overview,
    accepted_overview,
    append_blocks,
    is_stored,
    overview,
    use_stored,
)
from pyibc.indexer.pipeline.state import State
from pyibc.indexer.pipeline.tables import TABLES
from pyibc.indexer.pipeline.touched import events_of, packets_of, replaced_paths
from pyibc.indexer.storage.locations import check_results, is_address

CHECKPOINT, SOURCE = "_checkpoint", "_source"
"""Folders beside the tables: Spark's checkpoint, and the log of the data source."""


def start_pipeline(
    spark: SparkSession,
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    every_s: float | None = None,
    max_files: int | None = None,
    registry: AnyPath | None = None,
) -> StreamingQuery:
    """Start the pipeline from `inputs` to the Delta tables in `out`.

    Args:
        spark: a session with Delta Lake, in which the data source `ibc` is registered.
        inputs: one or several paths or URLs of block files and folders of them.
        out: path or URL of the folder for the tables.
        every_s: seconds between batches; None ends when all blocks that are there now are in the tables.
        max_files: most new or grown files of a batch.
        registry: path or URL of the user's file of names and lineages of chains, which is read now.
            Changes of it are in the tables after the first batch of the next start.

    Raises:
        DeltaMissing: the session has no Delta Lake.
        FileNotFoundError, UnreadableInput, MalformedRegistry: the user's file cannot be used.
        UnusableFolder: table libraries would misinterpret the name of the folder.
    """
    from pyibc.indexer.session import register  # which imports the settings of this package

    register(spark)
    known = given_names(registry)
    lake = Lake(spark, results_url(out))
    lake.prepare(TABLES)
    options = {"rows": "blocks", "paths": _listed(inputs), "stateLocation": f"{lake.url}/{SOURCE}"}
    if max_files is not None:
        options["maxFilesPerTrigger"] = str(max_files)
    stream = spark.readStream.format("ibc").options(**options).load()
    writing = stream.writeStream.foreachBatch(Pipeline(lake.url, given=known).process)
    writing = writing.option("checkpointLocation", f"{lake.url}/{CHECKPOINT}")
    trigger = {"availableNow": True} if every_s is None else {"processingTime": f"{every_s:g} seconds"}
    return writing.trigger(**trigger).start()


class Pipeline:
    """Processing of the batches of one stream.

    Args:
        url: folder of the tables.
        writer: name of the stream, under which Delta remembers its batches; None: the id in its checkpoint. A
            stream with a new checkpoint counts its batches anew, so it must have another name.
        given: content of the user's file.
    """

    def __init__(self, url: str, writer: str | None = None, given: Registry = NOTHING) -> None:
        self._url = url
        self._given = given
        self._writer = writer
        self._state: State | None = None
        self._is_first = True  # of this process, so that another one may have begun the batch

    def process(self, blocks: DataFrame, number: int) -> None:
        """Take a batch of blocks through silver to gold. A batch that is repeated gives the same tables."""
        # Temporary views belong to the session of the stream, which Spark made from that of the user.
        lake = Lake(blocks.sparkSession, self._url)
        self._writer = self._writer or _stream_id(f"{self._url}/{CHECKPOINT}")
        batch = Batch(self._writer, number)
        blocks = blocks.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            seen = overview(blocks)
            lake.expect(seen.weight)
            state, self._state = self._state or self._read(lake, batch), None
            self._take(lake, state, blocks, seen, batch)
        finally:
            blocks.unpersist()
        self._state = state

    def _read(self, lake: Lake, batch: Batch) -> State:
        state = State(lake, batch)
        state.compact(lake)
        return state

    def _take(self, lake: Lake, state: State, blocks: DataFrame, seen: Overview, batch: Batch) -> None:
        """Take a batch through silver to gold.

        What an earlier attempt at the batch stored counts, also if the inputs have changed meanwhile.
        """
        again, self._is_first = self._is_first and is_stored(lake, batch), False
        shared = again or seen.shares_heights(state.ranges)
        append_blocks(lake, blocks, batch, shared=shared, problems=seen.has_problems)
        if again:
            use_stored(lake, batch)
        state.learn((accepted_overview(lake.spark) if shared else seen).observations())
        add_observed(lake, state)
        touched = packets_of(lake, batch, shared=shared).persist()
        touched.createOrReplaceTempView("wanted")
        events = events_of(lake, "wanted").persist()
        try:
            replaced = replaced_paths(lake, batch) if shared else set()
            add_votes(lake, state, events, replaced, batch)
            state.write(lake, batch)
            chains = update_chains(lake, state, self._given)
            routes = find_routes(state, chains.joined, chains.tips)
            wanted = events
            if routes.moved_paths or routes.moved:
                affected(lake, touched, routes).createOrReplaceTempView("wanted")
                wanted = events_of(lake, "wanted")
            merge_packets(lake, wanted, routes, may_vanish=bool(routes.moved_paths or replaced))
            write_chains(lake, state, chains)
            write_routes(lake, state, routes)
        finally:
            touched.unpersist()
            events.unpersist()


def _listed(inputs: AnyPath | Iterable[AnyPath]) -> str:
    given = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    return json.dumps([_input(each) for each in given])


def _input(path: AnyPath) -> str:
    text = os.fspath(path)
    return text if is_address(text) else str(Path(text).absolute())


def given_names(registry: AnyPath | None) -> Registry:
    """Read the user's file with names and lineages of chains, if there is one."""
    return NOTHING if registry is None else read_file(existing(registry)[0])


def results_url(path: AnyPath) -> str:
    """Return a folder as a URL: Spark would look for a path in its default file system, which may be HDFS."""
    text = os.fspath(path)
    if is_address(text):
        return text
    check_results(Path(text))
    return f"file://{Path(text).absolute()}"


def _stream_id(checkpoint: str) -> str:
    """Return the id of a stream, which Spark writes to a new checkpoint."""
    return str(json.loads(StateFolder(checkpoint).read("metadata"))["id"])
