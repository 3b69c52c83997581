"""Spark session of the indexer: without console output and web UI, in UTC; its errors in one line.

This package is sent to workers on other machines as a zip file.
"""

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext, SparkFiles
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

from ibc_module import __version__
from pyibc.indexer.errors import EngineFailed, IndexerError, WorkerUnfit
from pyibc.indexer.spark.java import FIX, find_java
from pyibc.indexer.spark.lake import delta_settings
from pyibc.indexer.spark.names import master_problem
from pyibc.indexer.spark.source import IbcDataSource
from pyibc.installation import DISTRIBUTION, PACKAGES, ROOT

_DATA = (".py", ".binpb")
_STUB = "__init__.pyi"  # read by `pyibc._lazy`
_METADATA = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n"

_TASK = re.compile(r"Lost task \S+ in stage \S+ \(TID \d+\) \((\S+) executor \S+\): (.*)", re.DOTALL)
_TYPE = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ")  # java.io.IOException:
_RAISED = re.compile(r"^\S.*", re.MULTILINE)  # stack frames are indented
_TRACEBACK = "Traceback (most recent call last):\n"
_NO_PYTHON = ("Cannot run program", "PYTHON_VERSION_MISMATCH")
_SOME = "on an unknown host"  # Spark does not always report the host
_OTHERS: tuple[type[Exception], ...] = (PySparkException, Py4JError, ConnectionError)
"""Exceptions other than Java's: of PySpark; of Py4J and sockets if the JVM is gone."""

DEFAULT_MASTER = "local[*]"

_JAVA = "spark.driver.extraJavaOptions"
_PLANNING = "streaming_job"  # folder below that of sent files, of PythonStreamingSourceRunner
_ZONE = "spark.sql.session.timeZone"
_LOG = Path(__file__).with_name("log4j2.properties")
_LOCAL = {"spark.sql.shuffle.partitions": "8"}  # the default of 200 is too many for one machine

_BRIEF = " -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:MetaspaceSize=256m"
"""Options of the JVM for a short run: fast compilation, with room for all code, which is 48 MB otherwise.

When that is full, Java no longer compiles and interprets the rest. The last option avoids garbage collections
while classes load.
"""
_SETTINGS = {
    _JAVA: f"-XX:+UseParallelGC -Dlog4j2.configurationFile={_LOG.as_uri()}",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ui.retainedExecutions": "50",  # with their plans, also without the UI; 1,000 otherwise
    _ZONE: "UTC",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",  # fewer, larger tasks
    "spark.sql.execution.arrow.pyspark.enabled": "false",  # few rows are collected
}


def archive() -> Path:
    """Write the zip file into a temporary folder, which is deleted at exit; return its path.

    The file contains the sources, the protobuf descriptors, and metadata with the release number. If this
    package was itself imported from a zip file, as with `--py-files`, it is a copy of that.
    """
    folder = tempfile.mkdtemp(prefix="pyibc-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "pyibc.zip"  # Spark imports from files with the suffix .zip, not .whl
    root = Path(ROOT)
    if root.is_file():
        shutil.copyfile(root, path)
        return path
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr(f"{DISTRIBUTION}-{__version__}.dist-info/METADATA", _METADATA)
        for name in PACKAGES:
            for file in sorted((root / name).rglob("*")):
                if (file.suffix in _DATA or file.name == _STUB) and "__pycache__" not in file.parts:
                    packed.write(file, file.relative_to(root))
    return path


@contextmanager
def failing() -> Iterator[None]:
    """Convert Spark exceptions to `EngineFailed`, or to `WorkerUnfit` if a worker's Python is the cause."""
    try:
        yield
    except Py4JJavaError as error:
        java = error.java_exception
        raise named(str(java.getMessage() or java.toString())) from error
    except _OTHERS as error:
        raise named(str(error)) from error


def named(text: str) -> IndexerError:
    """Create the error for a Spark text; for a retried task, that of the last attempt."""
    found = _TASK.search(text)
    host, message = found.groups() if found is not None else (_SOME, text)
    reason = _TYPE.sub("", _line(message))
    if any(word in reason for word in _NO_PYTHON):
        return WorkerUnfit(
            host, f"cannot run Python: {reason} (set PYSPARK_PYTHON to the workers' interpreter)"
        )
    return EngineFailed("Spark", reason if found is None else f"a task failed on {host}: {reason}")


def _line(text: str) -> str:
    """Return the first line of a text; for one with Python tracebacks, the exception line of the last."""
    _, traceback, frames = text.rpartition(_TRACEBACK)
    raised = _RAISED.search(frames)
    return raised[0] if traceback and raised is not None else text.partition("\n")[0]


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
        EngineFailed: the master is none, or a Spark Connect server, or this machine has no Java for Spark.
    """
    if problem := master_problem(master):
        raise EngineFailed("Spark", problem)
    if SparkContext._gateway is None and (problem := find_java().problem):  # noqa: SLF001
        raise EngineFailed("Spark", f"{problem}: {FIX}")
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # avoids resolving the host name
    builder = SparkSession.builder.appName("pyibc").master(master)
    settings = _SETTINGS | (_LOCAL if local else {}) | (delta_settings() if delta else {})
    if brief and local:
        settings[_JAVA] += _BRIEF
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    register(spark, send=not local or master.startswith("local-cluster"))
    return spark


def register(spark: SparkSession, *, send: bool = False) -> None:
    """Register the data source `ibc` in a session.

    Spark finds it without a call if this package is installed in the interpreter of its workers.

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
    if Path(ROOT).is_file() and SparkContext._active_spark_context is not None:  # noqa: SLF001
        _link_for_planning(Path(ROOT))
    try:
        spark.dataSource.register(IbcDataSource)
    except AnalysisException as error:
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
        if not _is_found(spark):  # the session was made by `newSession()` of one where it is registered
            reason = "the session it was made from has the data source ibc already: use that one"
            raise EngineFailed("Spark", reason) from error


def _is_found(spark: SparkSession) -> bool:
    try:
        spark.read.format("ibc").option("paths", "[]").load()
    except (PySparkException, Py4JJavaError) as error:
        if "[DATA_SOURCE_NOT_FOUND]" not in str(error):
            raise
        return False
    return True


def _link_for_planning(packed: Path) -> None:
    """Let the processes that plan a stream find this package if it was sent by `--py-files`.

    Spark looks for it in a folder of its own then, to which it copies nothing.
    """
    folder = Path(SparkFiles.getRootDirectory()) / _PLANNING
    folder.mkdir(exist_ok=True)
    with suppress(FileExistsError):
        (folder / packed.name).symlink_to(packed)
