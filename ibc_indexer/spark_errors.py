"""What Spark says when something fails, in a line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from ibc_indexer.connect import failures
from ibc_indexer.errors import EngineFailed, IndexerError, WorkerUnfit

_TASK = re.compile(r"Lost task \S+ in stage \S+ \(TID \d+\) \((\S+) executor \S+\): (.*)", re.DOTALL)
_TYPE = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ")  # java.io.IOException:
_RAISED = re.compile(r"^\S.*", re.MULTILINE)  # frames are indented
_TRACEBACK = "Traceback (most recent call last):\n"
_NO_PYTHON = ("Cannot run program", "PYTHON_VERSION_MISMATCH")
_SOME = "of some host"  # Spark does not always tell
_OTHERS: tuple[type[Exception], ...] = (PySparkException, Py4JError, ConnectionError, *failures())
"""Beside what Java raised: of the second and third the JVM is gone, the last are gRPC's."""


@contextmanager
def failing() -> Iterator[None]:
    """What Spark raises becomes an `EngineFailed`, or a `WorkerUnfit` if a worker's Python is to blame."""
    try:
        yield
    except Py4JJavaError as error:
        java = error.java_exception
        raise named(str(java.getMessage() or java.toString())) from error
    except _OTHERS as error:
        raise named(_said(error)) from error


def _said(error: Exception) -> str:
    """What an error says; of gRPC's, what the server says."""
    told = error.details() if hasattr(error, "details") else None
    return str(told or error)


def named(said: str) -> IndexerError:
    """The error for a text of Spark's; of a task that was tried several times, for the last attempt."""
    found = _TASK.search(said)
    host, told = found.groups() if found is not None else (_SOME, said)
    reason = _TYPE.sub("", _line(told))
    if any(word in reason for word in _NO_PYTHON):
        return WorkerUnfit(host, f"cannot run this: {reason} (PYSPARK_PYTHON names the workers' interpreter)")
    return EngineFailed("Spark", reason if found is None else f"a task failed on {host}: {reason}")


def _line(text: str) -> str:
    """The first one; of a text with Python's tracebacks what the last of them ends with."""
    _, traceback, frames = text.rpartition(_TRACEBACK)
    raised = _RAISED.search(frames)
    return raised[0] if traceback and raised is not None else text.partition("\n")[0]
