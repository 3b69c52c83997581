"""Calls that Spark's executors make: a task each, whose items come back to who submitted it."""

import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from ibc_core.errors import IbcError
from ibc_indexer.errors import WorkerUnfit
from ibc_indexer.spark_worker import DONE, on_worker
from ibc_module import __version__

MOST = 32
"""Calls that are under way at once: what they give is in this process's memory."""

_A_SLOT = 2  # calls, so that none is idle while results are taken
_LOOK_S = 0.2  # between two attempts to end what is under way

Work = Callable[..., Iterable[Any]]
"""What is called, a function of this package or a `partial` of one; gives plain values, raises `IbcError`."""


class Answer(NamedTuple):
    """What a call gave."""

    host: str  # of the worker
    items: list[Any]
    failure: IbcError | None = None  # that it raised, behind the items


class Tasks(Protocol):
    """Makes calls elsewhere."""

    @property
    def width(self) -> int:
        """How many calls are best under way at once; may change."""

    def submit(self, *call: Any) -> "Future[Answer]":
        """Has the work called with plain values.

        The future raises EngineFailed, WorkerUnfit.
        """


class SparkTasks:
    """`work`, called by Spark: it replaces executors that are lost, and calls again what they had begun."""

    def __init__(self, spark: Any, work: Work, *, release: str = __version__) -> None:
        """`spark` is a session; `release` is that of this package, which its workers must have."""
        self._context = spark.sparkContext
        self._on_worker = on_worker(pickle.dumps(work), release)
        self._group = f"pyibc-{uuid4()}"
        self._pool = ThreadPoolExecutor(MOST, thread_name_prefix="spark")
        self._running = set[Future[Answer]]()

    @property
    def width(self) -> int:
        """Twice the executors' cores; executors may come and go."""
        cores: int = self._context.defaultParallelism
        return max(1, min(MOST, _A_SLOT * cores))

    def submit(self, *call: Any) -> "Future[Answer]":
        """A job of one task."""
        future = self._pool.submit(self._run, call)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def close(self) -> None:
        """Cancels what is under way, and waits for its end."""
        from py4j.protocol import Py4JError

        self._pool.shutdown(wait=False, cancel_futures=True)
        while running := set(self._running):
            with suppress(Py4JError, OSError):
                self._context.cancelJobGroup(self._group)
            wait(running, timeout=_LOOK_S)
        self._pool.shutdown()

    def _run(self, call: tuple[Any, ...]) -> Answer:
        from ibc_indexer.spark_errors import failing

        with failing():
            self._context.setJobGroup(self._group, "pyibc")  # of this thread
            (found,) = self._context.parallelize([call], 1).mapPartitions(self._on_worker).collect()
        return _answer(*found)


@contextmanager
def spark_tasks(master: str, work: Work) -> Iterator[Tasks]:
    """A session of Spark's for some calls.

    Raises:
        ModuleNotFoundError: PySpark is not installed.
        EngineFailed: Spark cannot be started.
    """
    from ibc_indexer.session import open_session
    from ibc_indexer.spark_errors import failing

    with failing(), _interrupts_kept():
        spark = open_session(master, brief=True)
        spark.sparkContext.setLogLevel("OFF")  # what fails is told, by an error
    try:
        with closing(SparkTasks(spark, work)) as tasks:
            yield tasks
    finally:
        with failing():
            spark.stop()


def _answer(kind: str, host: str, *told: Any) -> Answer:
    if kind != DONE:
        raise WorkerUnfit(host, *told)
    items, failure = told
    return Answer(host, items, pickle.loads(failure) if failure else None)  # noqa: S301 - our own worker's


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Spark takes SIGINT when it starts; here it stays with who had it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
