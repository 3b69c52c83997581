"""The pipeline as a structured stream of Spark."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pyibc.indexer.locations import AnyPath, local_path, locked, make_results
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.places import (
    CHECKPOINT,
    given_names,
    prepare_tables,
    results_url,
    source_options,
)
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.spark.lake import SparkLake
from pyibc.indexer.spark.session import failing, register


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
    register(spark)
    known = given_names(registry)
    lake = SparkLake(spark, results_url(out))
    pipeline = Pipeline(given=known, is_new=prepare_tables(lake))
    options = source_options(inputs, lake.url, max_files)
    stream = spark.readStream.format("ibc").options(**options).load()
    writing = stream.writeStream.foreachBatch(_on_spark(pipeline, lake.url))
    writing = writing.option("checkpointLocation", f"{lake.url}/{CHECKPOINT}")
    trigger = {"availableNow": True} if every_s is None else {"processingTime": f"{every_s:g} seconds"}
    return writing.trigger(**trigger).start()


def _on_spark(pipeline: Pipeline, url: str) -> Callable[[DataFrame, int], None]:
    """Return the function that processes the batches of a stream of Spark."""

    def process(blocks: DataFrame, number: int) -> None:
        # Temporary views belong to the session of the stream, which Spark made from that of the user.
        lake = SparkLake(blocks.sparkSession, url)
        blocks.createOrReplaceTempView("batch_source")
        with lake.kept("batch_given", "SELECT * FROM batch_source"):
            pipeline.process(lake, number)

    return process


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
            start_pipeline(self.session, inputs, url).awaitTermination()

    def open(self, out: AnyPath) -> Lake:
        """Open the tables in `out`."""
        return SparkLake(self.session.newSession(), results_url(out))
