"""One Spark session a run: quiet, without a web page, in UTC."""

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from ibc_indexer.archive import archive
from ibc_indexer.source import IbcDataSource

DEFAULT_MASTER = "local[2]"


def open_session(master: str = DEFAULT_MASTER, *, brief: bool = False) -> SparkSession:
    """A session on `master` (any master URL) that knows the data source `ibc`.

    Settings that the environment or `spark-defaults.conf` gives (memory, executors) stay as they are. On a
    local master the workers run this interpreter; elsewhere `PYSPARK_PYTHON` names theirs, which
    needs pyspark, pyarrow, msgspec and protobuf, and is sent this package.

    Args:
        master: where Spark runs.
        brief: for a run of a minute or two on this machine: the JVM compiles quickly, not well. For a
            million events that saves a third of all CPU time, for five million nothing.
    """
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no machine's name has to resolve
    builder = SparkSession.builder.appName("pyibc index").master(master)
    for key, value in (_SETTINGS | _LOCAL if local else _SETTINGS).items():
        builder = builder.config(key, value)
    if brief and local:
        builder = builder.config(_JAVA, f"{_SETTINGS[_JAVA]} -XX:TieredStopAtLevel=1")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    if not local:
        spark.sparkContext.addPyFile(str(archive()))
    spark.dataSource.register(IbcDataSource)
    return spark


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
