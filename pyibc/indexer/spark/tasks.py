"""Function calls on Spark executors: one task per call, whose result returns to the submitter."""

import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from ibc_module import __version__
from pyibc.core.errors import IbcError
from pyibc.indexer.errors import WorkerUnfit
from pyibc.indexer.spark.worker import DONE, on_worker

MOST = 32
"""Maximum number of concurrent calls, whose results are in the memory of this process."""

_A_SLOT = 2  # calls per core, so that no core idles while results are processed
_LOOK_S = 0.2  # between two attempts to cancel running calls

Work = Callable[..., Iterable[Any]]
"""Function of this package, or a `partial` of one, that returns picklable values and may raise `IbcError`."""


class TaskResult(NamedTuple):
    """Result of a call."""

    host: str  # of the worker
    items: list[Any]
    failure: IbcError | None = None  # raised after the items


class Tasks(Protocol):
    """Executor of calls on other machines."""

    @property
    def width(self) -> int:
        """Recommended number of concurrent calls; may change."""

    def submit(self, *call: Any) -> "Future[TaskResult]":
        """Submit a call of the work with picklable arguments.

        The future raises EngineFailed and WorkerUnfit.
        """


class SparkTasks:
    """Executor of calls of `work` on Spark, which replaces lost executors and repeats their calls."""

    def __init__(self, spark: Any, work: Work, *, release: str = __version__) -> None:
        """Run on the session `spark`, whose workers must have the given `release` of this package."""
        self._context = spark.sparkContext
        self._on_worker = on_worker(pickle.dumps(work), release)
        self._group = f"pyibc-{uuid4()}"
        self._pool = ThreadPoolExecutor(MOST, thread_name_prefix="spark")
        self._running = set[Future[TaskResult]]()

    @property
    def width(self) -> int:
        """Twice the number of executor cores, which may change."""
        cores: int = self._context.defaultParallelism
        return max(1, min(MOST, _A_SLOT * cores))

    def submit(self, *call: Any) -> "Future[TaskResult]":
        """Submit a job with one task."""
        future = self._pool.submit(self._run, call)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def close(self) -> None:
        """Cancel the running calls, and wait for their end."""
        from py4j.protocol import Py4JError

        self._pool.shutdown(wait=False, cancel_futures=True)
        while running := set(self._running):
            with suppress(Py4JError, OSError):
                self._context.cancelJobGroup(self._group)
            wait(running, timeout=_LOOK_S)
        self._pool.shutdown()

    def _run(self, call: tuple[Any, ...]) -> TaskResult:
        from pyibc.indexer.spark.session import failing

        with failing():
            self._context.setJobGroup(self._group, "pyibc")  # of this thread
            job = self._context.parallelize([call], 1).mapPartitions(self._on_worker)
            ((kind, host, *result),) = job.collect()
        if kind != DONE:
            raise WorkerUnfit(host, *result)
        items, failure = result
        error = pickle.loads(failure) if failure else None  # noqa: S301 - our own worker's
        return TaskResult(host, items, error)


@contextmanager
def spark_tasks(master: str, work: Work) -> Iterator[Tasks]:
    """Open a Spark session for calls, and stop it at the end.

    Raises:
        ModuleNotFoundError: PySpark is not installed.
        EngineFailed: Spark cannot be started.
    """
    from pyibc.indexer.spark.session import failing, open_session

    with failing(), _interrupts_kept():
        spark = open_session(master, brief=True, delta=False)
        spark.sparkContext.setLogLevel("OFF")  # failures are raised as errors
    try:
        with closing(SparkTasks(spark, work)) as tasks:
            yield tasks
    finally:
        with failing():
            spark.stop()


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Restore the SIGINT handler, which Spark replaces when it starts."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
