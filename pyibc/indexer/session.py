"""Spark session of the indexer: without console output and web UI, in UTC."""

import os
import sys
from pathlib import Path

from pyspark import SparkContext
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from pyibc.indexer.archive import archive
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.java import FIX, find_java
from pyibc.indexer.locations import CONNECT
from pyibc.indexer.pipeline.spark_lake import delta_settings
from pyibc.indexer.source import IbcDataSource

DEFAULT_MASTER = "local[*]"


def open_session(master: str = DEFAULT_MASTER, *, brief: bool = False, delta: bool = True) -> SparkSession:
    """Open a session on `master` (any master URL) with Delta Lake and the data source `ibc`.

    Spark downloads Delta Lake from Maven Central when it is first used. Settings from the environment or
    `spark-defaults.conf` (memory, executors) are kept. On a local master the workers run this interpreter,
    elsewhere that of `PYSPARK_PYTHON`. This package is sent to workers on other machines. The data source
    needs pyspark, pyarrow, msgspec and protobuf there.

    Args:
        master: Spark master URL.
        brief: optimize the JVM for a run of a minute or two on this machine, with fast compilation. This
            saves a third of the CPU time for a million events, and nothing for five million.
        delta: load Delta Lake, which the pipeline needs and the data source alone does not.

    Raises:
        EngineFailed: the master is a Spark Connect server, or this machine has no Java for Spark.
    """
    if master.startswith(CONNECT):
        raise EngineFailed("Spark", f"{CONNECT} is Spark Connect, and the index needs a Spark master URL")
    if SparkContext._gateway is None and (problem := find_java().problem):  # noqa: SLF001
        raise EngineFailed("Spark", f"{problem}: {FIX}")
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # avoids resolving the host name
    builder = SparkSession.builder.appName("pyibc").master(master)
    settings = _SETTINGS | (_LOCAL if local else {}) | (delta_settings() if delta else {})
    if brief and local:
        settings[_JAVA] += " -XX:TieredStopAtLevel=1"
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    register(spark, send=not local or master.startswith("local-cluster"))
    return spark


def register(spark: SparkSession, *, send: bool = False) -> None:
    """Register the data source `ibc` in a session, and enable the filters that it pushes down.

    Args:
        spark: any session, also of Spark Connect.
        send: send this package to the workers. Not needed if it is installed there, or was sent by
            `--py-files`.

    Raises:
        EngineFailed: the session was made by `newSession()` of a session that has the data source, where
            Spark cannot register it.
    """
    if send:
        spark.addArtifacts(str(archive()), pyfile=True)
    spark.conf.set(_PUSHDOWN, "true")
    try:
        spark.dataSource.register(IbcDataSource)
    except AnalysisException as error:
        # In a session made by `newSession()` of one that has it, Spark neither finds nor registers it.
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
        reason = "the session it was made from has the data source ibc already: use that one"
        raise EngineFailed("Spark", reason) from error


_JAVA = "spark.driver.extraJavaOptions"
_ZONE = "spark.sql.session.timeZone"
_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
_LOG = Path(__file__).with_name("log4j2.properties")
_LOCAL = {"spark.sql.shuffle.partitions": "8"}  # the default of 200 is too many for one machine

_SETTINGS = {
    _JAVA: f"-XX:+UseParallelGC -Dlog4j2.configurationFile={_LOG.as_uri()}",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    _ZONE: "UTC",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",  # fewer, larger tasks
    "spark.sql.execution.arrow.pyspark.enabled": "false",  # few rows are collected
}
