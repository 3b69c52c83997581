"""One Spark session a run: quiet, without a web page, in UTC."""

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from ibc_indexer.archive import archive
from ibc_indexer.connect import SCHEME, open_connect
from ibc_indexer.source import IbcDataSource
from ibc_indexer.storage.jars import jars

DEFAULT_MASTER = "local[2]"


def open_session(master: str = DEFAULT_MASTER, *, brief: bool = False, storage: bool = False) -> SparkSession:
    """A session on `master` (any master URL) that knows the data source `ibc`.

    Settings that the environment or `spark-defaults.conf` gives (memory, executors) stay as they are. On a
    local master the workers run this interpreter; elsewhere `PYSPARK_PYTHON` names theirs. To workers with
    folders of their own this package is sent; where Spark Connect serves it is installed. For the data source
    they need pyspark, pyarrow, msgspec and protobuf.

    Args:
        master: where Spark runs; `sc://host[:port]`: a server of Spark Connect.
        brief: for a run of a minute or two on this machine: the JVM compiles quickly, not well. For a
            million events that saves a third of all CPU time, for five million nothing.
        storage: it is to read and write objects, `s3a://bucket/key`. The credentials of this process's
            environment go to the executors with their tasks, not into Spark's settings, which it shows.

    Raises:
        StorageMissing: what it needs for that cannot be had.
        EngineFailed: the server of Spark Connect cannot be had.
    """
    if master.startswith(SCHEME):
        return _connected(master)
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no machine's name has to resolve
    builder = SparkSession.builder.appName("pyibc").master(master)
    for key, value in (_SETTINGS | _LOCAL if local else _SETTINGS).items():
        builder = builder.config(key, value)
    if brief and local:
        builder = builder.config(_JAVA, f"{_SETTINGS[_JAVA]} -XX:TieredStopAtLevel=1")
    if storage and (found := jars()):
        builder = builder.config("spark.jars", ",".join(map(str, found)))
    spark = builder.getOrCreate()
    if storage:
        _tell_store(spark)
    spark.sparkContext.setLogLevel("ERROR")
    if not local or master.startswith("local-cluster"):
        spark.sparkContext.addPyFile(str(archive()))
    spark.dataSource.register(IbcDataSource)
    return spark


def _connected(url: str) -> SparkSession:
    """A session at a server, which has settings of its own but for those that change answers."""
    spark: SparkSession = open_connect(url)
    for key in ("spark.sql.session.timeZone", "spark.sql.python.filterPushdown.enabled"):
        spark.conf.set(key, _SETTINGS[key])
    spark.dataSource.register(IbcDataSource)
    return spark


def _tell_store(spark: SparkSession) -> None:
    """Says where the store is and how long it may take; what else is in Hadoop's settings stays."""
    from ibc_indexer.storage.client import ATTEMPTS, REQUEST_S, Settings

    settings, hadoop = Settings.told(), spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001
    told = dict(zip((f"fs.s3a.{key}" for key in _KEYS), settings.keys, strict=False))
    if settings.keys:
        told["fs.s3a.aws.credentials.provider"] = _TEMPORARY if settings.keys[2] else _SIMPLE
    if settings.endpoint:
        told["fs.s3a.endpoint"] = settings.endpoint
        told["fs.s3a.connection.ssl.enabled"] = str(settings.endpoint.startswith("https://")).lower()
    told |= {
        "fs.s3a.endpoint.region": settings.region,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.input.stream.type": "classic",  # another one wants a library of its own
        "fs.s3a.connection.request.timeout": f"{REQUEST_S:g}s",
        "fs.s3a.attempts.maximum": str(ATTEMPTS),
        "fs.s3a.retry.limit": str(ATTEMPTS),
        "fs.s3a.performance.flags": "create,delete,mkdir",  # names are new, and folders need no marks
        "mapreduce.fileoutputcommitter.algorithm.version": "2",  # a write that fails is thrown away whole
        "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    }
    for key, value in told.items():
        if value:
            hadoop.set(key, value)


_KEYS = ("access.key", "secret.key", "session.token")
_PROVIDERS = "org.apache.hadoop.fs.s3a."
_SIMPLE = f"{_PROVIDERS}SimpleAWSCredentialsProvider"
_TEMPORARY = f"{_PROVIDERS}TemporaryAWSCredentialsProvider"
_JAVA = "spark.driver.extraJavaOptions"
_LOG = Path(__file__).with_name("log4j2.properties")
_LOCAL = {"spark.sql.shuffle.partitions": "8"}  # a laptop has no use for 200

_SETTINGS = {
    _JAVA: f"-XX:+UseParallelGC -Dlog4j2.configurationFile={_LOG.as_uri()}",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",  # few, fuller tasks
    "spark.sql.execution.arrow.pyspark.enabled": "false",  # rows that come back are few
}
