"""Conversion of Spark errors to one line, with texts of PySpark 4.2 and 4.0."""

import pytest

from pyibc.indexer.errors import EngineFailed, WorkerUnfit

LOST = (
    "Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: "
    "Lost task 0.3 in stage 0.0 (TID 3) (10.0.0.7 executor 1): "
)
STACK = "\n\tat java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1143)\n\nDriver stacktrace:"
WORKER = "An exception was thrown from the Python worker:\n"
TRACEBACK = """Traceback (most recent call last):
  File "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", line 3569, in main
    check_python_version(infile)
"""
MISMATCH = (
    "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has "
    "different version: 3.12 than that in driver: 3.11, PySpark cannot run with different minor versions.\n"
    "Please check environment variables PYSPARK_PYTHON and PYSPARK_DRIVER_PYTHON are correctly set.\n"
)
JAVA_OF_PYTHON = "org.apache.spark.api.python.PythonException: "


def test_a_worker_without_python():
    from pyibc.indexer.spark.session import named

    error = named(f'{LOST}java.io.IOException: Cannot run program "python3": error=2, No such file{STACK}')
    assert (type(error), error.host) == (WorkerUnfit, "10.0.0.7")
    assert str(error) == (
        'Spark worker 10.0.0.7 cannot run Python: Cannot run program "python3": error=2, No such file '
        "(set PYSPARK_PYTHON to the workers' interpreter)"
    )


@pytest.mark.parametrize(
    ("said", "host"),
    [
        (f"{WORKER}{TRACEBACK}{MISMATCH}", "on an unknown host"),
        (f"{LOST}{JAVA_OF_PYTHON}{TRACEBACK}{MISMATCH}{STACK}", "10.0.0.7"),
    ],
)
def test_a_worker_with_another_python(said, host):
    from pyibc.indexer.spark.session import named

    error = named(said)
    assert (type(error), error.host) == (WorkerUnfit, host)
    assert "Python in worker has different version: 3.12 than that in driver: 3.11" in error.reason
    assert "\n" not in str(error)


def test_what_python_raised_last():
    from pyibc.indexer.spark.session import named

    twice = f"{TRACEBACK}KeyError: 'a'\n\nDuring handling of it:\n\n{TRACEBACK}ValueError: planted\n"
    assert str(named(f"{WORKER}{twice}")) == "Spark: ValueError: planted"
    error = named(f"{LOST}{JAVA_OF_PYTHON}{twice}{STACK}")
    assert (type(error), str(error)) == (
        EngineFailed,
        "Spark: a task failed on 10.0.0.7: ValueError: planted",
    )


def test_an_executor_that_was_lost_too_often():
    from pyibc.indexer.spark.session import named

    reason = "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: worker lost"
    assert str(named(LOST + reason + STACK)) == f"Spark: a task failed on 10.0.0.7: {reason}"


def test_what_was_no_task():
    from pyspark.errors import PySparkException

    from pyibc.indexer.spark.session import failing

    with pytest.raises(EngineFailed, match=r"^Spark: Could not parse Master URL: 'foo'$"), failing():
        raise PySparkException("Could not parse Master URL: 'foo'\n\nJVM stacktrace:\nx")


def test_a_jvm_that_is_gone():
    from pyibc.indexer.spark.session import failing

    with pytest.raises(EngineFailed, match=r"^Spark: \[Errno 111\] Connection refused$"), failing():
        raise ConnectionRefusedError(111, "Connection refused")
