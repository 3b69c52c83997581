"""Spark session of the indexer: without console output and web UI, in UTC."""

import os
import sys
from pathlib import Path

from pyspark import SparkContext
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from pyibc.indexer.archive import archive
from pyibc.indexer.connect import SCHEME, open_connect
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.java import MEND, find_java
from pyibc.indexer.pipeline.spark_lake import delta_settings
from pyibc.indexer.source import IbcDataSource
from pyibc.indexer.storage.jars import jars

DEFAULT_MASTER = "local[2]"


def open_session(
    master: str = DEFAULT_MASTER, *, brief: bool = False, storage: bool = False, delta: bool = False
) -> SparkSession:
    """Open a session on `master` (any master URL) with the data source `ibc` registered.

    Settings from the environment or `spark-defaults.conf` (memory, executors) are kept. On a local master the
    workers run this interpreter, elsewhere that of `PYSPARK_PYTHON`. This package is sent to workers on other
    machines; a Spark Connect server must have it installed. The data source needs pyspark, pyarrow, msgspec
    and protobuf on the workers.

    Args:
        master: Spark master URL, or `sc://host[:port]` for a Spark Connect server.
        brief: optimize the JVM for a run of a minute or two on this machine, with fast compilation. This
            saves a third of the CPU time for a million events, and nothing for five million.
        storage: enable access to objects, `s3a://bucket/key`. Credentials in this process's environment are
            sent to the executors with their tasks, not put into the Spark settings, which Spark displays.
        delta: load Delta Lake, which Spark downloads from Maven Central when it is first used.

    Raises:
        StorageMissing: the libraries for object storage are not available.
        EngineFailed: the Spark Connect server is not available, or this machine has no Java for Spark.
    """
    if master.startswith(SCHEME):
        return _connected(master)
    if SparkContext._gateway is None and (problem := find_java().problem):  # noqa: SLF001
        raise EngineFailed("Spark", f"{problem}: {MEND}")
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # avoids resolving the host name
    builder = SparkSession.builder.appName("pyibc").master(master)
    for key, value in _settings(local=local, brief=brief, storage=storage, delta=delta).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    if storage:
        _configure_store(spark)
    spark.sparkContext.setLogLevel("ERROR")
    register(spark, send=not local or master.startswith("local-cluster"))
    return spark


def _settings(*, local: bool, brief: bool, storage: bool, delta: bool) -> dict[str, str]:
    settings = _SETTINGS | (_LOCAL if local else {}) | (delta_settings() if delta else {})
    if brief and local:
        settings[_JAVA] += " -XX:TieredStopAtLevel=1"
    if storage and (found := jars()):
        settings["spark.jars"] = ",".join(map(str, found))
    return settings


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


def _connected(url: str) -> SparkSession:
    """Open a session at a Spark Connect server, and change only settings that affect results."""
    spark: SparkSession = open_connect(url)
    spark.conf.set(_ZONE, _SETTINGS[_ZONE])
    register(spark)
    return spark


def _configure_store(spark: SparkSession) -> None:
    """Set endpoint, credentials and timeouts of the object store in the Hadoop configuration."""
    from pyibc.indexer.storage.client import ATTEMPTS, REQUEST_S, Settings

    settings, hadoop = Settings.from_environment(), spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001
    options = dict(zip((f"fs.s3a.{key}" for key in _KEYS), settings.keys, strict=False))
    if settings.keys:
        options["fs.s3a.aws.credentials.provider"] = _TEMPORARY if settings.keys[2] else _SIMPLE
    if settings.endpoint:
        options["fs.s3a.endpoint"] = settings.endpoint
        options["fs.s3a.connection.ssl.enabled"] = str(settings.endpoint.startswith("https://")).lower()
    options |= {
        "fs.s3a.endpoint.region": settings.region,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.input.stream.type": "classic",  # others need an additional library
        "fs.s3a.connection.request.timeout": f"{REQUEST_S:g}s",
        "fs.s3a.attempts.maximum": str(ATTEMPTS),
        "fs.s3a.retry.limit": str(ATTEMPTS),
        "fs.s3a.performance.flags": "create,delete,mkdir",  # names are unique, no directory markers needed
        "mapreduce.fileoutputcommitter.algorithm.version": "2",  # the output of a failed write is discarded
        "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    }
    for key, value in options.items():
        if value:
            hadoop.set(key, value)


_KEYS = ("access.key", "secret.key", "session.token")
_PROVIDERS = "org.apache.hadoop.fs.s3a."
_SIMPLE = f"{_PROVIDERS}SimpleAWSCredentialsProvider"
_TEMPORARY = f"{_PROVIDERS}TemporaryAWSCredentialsProvider"
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
