"""The pipeline as a structured stream of Spark."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from socket import SHUT_RDWR
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pyibc.indexer.locations import AnyPath, existing, local_path, locked, make_results
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.places import (
    CHECKPOINT,
    given_names,
    prepare_tables,
    results_url,
    source_options,
)
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.spark.lake import SparkLake, store_options
from pyibc.indexer.spark.session import failing, register

_TASKS_A_CORE = 4  # each costs a tenth of a second, which Spark needs to prepare it


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
        spark: a session with Delta Lake.
        inputs: one or several paths or URLs of files and folders: exports, recordings, names of chains.
        out: path or URL of the folder for the tables.
        every_s: seconds between batches; None ends when all blocks that are there now are in the tables.
        max_files: most new or grown files of a batch.
        registry: path or URL of the user's file of names and lineages of chains, which is read now.

    Raises:
        DamagedLog: a table of earlier batches is missing, or its log ends with a missing or empty entry.
        DeltaMissing: the session has no Delta Lake.
        FileNotFoundError: an input or the user's file does not exist.
        UnreadableInput, MalformedRegistry: the user's file cannot be used.
        UnusableFolder: table libraries would misinterpret the name of the folder.
    """
    return _start(spark, inputs, out, every_s, max_files, registry, set())


def _start(
    spark: SparkSession,
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    every_s: float | None,
    max_files: int | None,
    registry: AnyPath | None,
    connections: set[Any],
) -> StreamingQuery:
    register(spark)
    paths, url = existing(inputs), results_url(out)
    settings = store_options(spark, [url, *paths, *(() if registry is None else existing(registry))])
    known = given_names(registry)
    lake = SparkLake(spark, url)
    pipeline = Pipeline(given=known, is_new=prepare_tables(lake))
    tasks = _TASKS_A_CORE * spark.sparkContext.defaultParallelism
    options = source_options(paths, lake.url, max_files) | settings | {"minPartitions": str(tasks)}
    stream = spark.readStream.format("ibc").options(**options).load()
    writing = stream.writeStream.foreachBatch(_Batches(pipeline, lake.url, connections))
    writing = writing.option("checkpointLocation", f"{lake.url}/{CHECKPOINT}")
    trigger = {"availableNow": True} if every_s is None else {"processingTime": f"{every_s:g} seconds"}
    return writing.trigger(**trigger).start()


class _Batches:
    """Function that processes the batches of a stream of Spark.

    Args:
        pipeline: the pipeline.
        url: folder of the tables.
        connections: set for the connections through which the stream calls this process.
    """

    def __init__(self, pipeline: Pipeline, url: str, connections: set[Any]) -> None:
        self._pipeline, self._url, self._connections = pipeline, url, connections

    def __call__(self, blocks: DataFrame, number: int) -> None:
        """Process a batch."""
        spark = blocks.sparkSession
        gateway: Any = spark.sparkContext._gateway  # noqa: SLF001
        self._connections.add(gateway._gateway_client.get_thread_connection())  # noqa: SLF001 - as PySpark
        # Temporary views belong to the session of the stream, which Spark made from that of the user.
        lake = SparkLake(spark, self._url)
        try:
            lake.name("batch_source", blocks)
            with lake.kept("batch_given", "SELECT * FROM batch_source"):
                self._pipeline.process(lake, number)
        finally:
            lake.drop_views()  # threads of Spark's pools keep the session after the stream has ended


class SparkEngine:
    """Spark, in a session with Delta Lake and the data source `ibc`."""

    def __init__(self, spark: SparkSession) -> None:
        self.session = spark

    def run(self, inputs: Iterable[AnyPath], out: AnyPath) -> None:
        """Bring the tables in `out` up to date with the inputs."""
        url = results_url(out)
        folder = local_path(url)
        if folder is not None:
            make_results(Path(folder))
        with locked(Path(folder)) if folder is not None else nullcontext(), failing():
            connections = set[Any]()
            try:
                _start(self.session, inputs, url, None, None, None, connections).awaitTermination()
            finally:
                for connection in connections:
                    # Py4J leaves it open after the end of the stream, with the thread that reads it.
                    with suppress(OSError):
                        connection.socket.shutdown(SHUT_RDWR)

    @contextmanager
    def open(self, out: AnyPath) -> Iterator[Lake]:
        """Open the tables in `out`, until the context ends."""
        lake = SparkLake(self.session.newSession(), results_url(out))
        try:
            yield lake
        finally:
            lake.drop_views()
