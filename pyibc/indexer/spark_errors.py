"""Conversion of Spark exceptions to errors of one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from pyibc.indexer.errors import EngineFailed, IndexerError, WorkerUnfit

_TASK = re.compile(r"Lost task \S+ in stage \S+ \(TID \d+\) \((\S+) executor \S+\): (.*)", re.DOTALL)
_TYPE = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ")  # java.io.IOException:
_RAISED = re.compile(r"^\S.*", re.MULTILINE)  # stack frames are indented
_TRACEBACK = "Traceback (most recent call last):\n"
_NO_PYTHON = ("Cannot run program", "PYTHON_VERSION_MISMATCH")
_SOME = "on an unknown host"  # Spark does not always report the host
_OTHERS: tuple[type[Exception], ...] = (PySparkException, Py4JError, ConnectionError)
"""Exceptions other than Java's: of PySpark; of Py4J and sockets if the JVM is gone."""


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
