"""One Spark session a run: quiet, without a web page, in UTC."""

import os
import sys

from pyspark.sql import SparkSession

from ibc_module.indexer.source import IbcDataSource

DEFAULT_MASTER = "local[2]"


def open_session(master: str = DEFAULT_MASTER) -> SparkSession:
    """A session on `master` (any master URL) that knows the data source `ibc`.

    Settings that the environment or `spark-defaults.conf` gives (memory, executors) stay as they are. On a
    local master the workers run this interpreter; elsewhere `PYSPARK_PYTHON` names theirs.
    """
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("pyibc index").master(master)
    for key, value in (_SETTINGS | _LOCAL if local else _SETTINGS).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.dataSource.register(IbcDataSource)
    return spark


_LOCAL = {"spark.sql.shuffle.partitions": "8"}  # a laptop has no use for 200

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",  # few, fuller tasks
    "spark.sql.execution.arrow.pyspark.enabled": "false",  # rows that come back are few
}
