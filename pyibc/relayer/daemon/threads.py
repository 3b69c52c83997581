"""Bounded executor of a daemon: its threads end when nothing is left to do, and hold up no exit."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, TypeVar

V = TypeVar("V")


class Threads:
    """Executor (`pyibc.relayer.links.executor.Executor`) with at most so many threads. For any thread.

    `concurrent.futures.ThreadPoolExecutor` keeps its threads, and the interpreter waits for them at its end.
    """

    def __init__(self, limit: int, name: str) -> None:
        """Start no thread before the first `submit`; `name` is that of the threads."""
        self._limit = limit
        self._name = name
        self._lock = Lock()
        self._waiting = deque[tuple[Future[Any], Callable[[], Any]]]()
        self._running = 0

    @property
    def running(self) -> int:
        """Number of threads."""
        return self._running

    def submit(self, work: Callable[[], V], /) -> Future[V]:
        """Run `work` in one of the threads, once one is free; return its future, which may be cancelled.

        If the machine has no thread for it, the future has the RuntimeError.
        """
        future = Future[V]()
        with self._lock:
            self._waiting.append((future, work))
            # guard: a-thread-for-each-work always test_no_more_works_run_at_once_than_there_are_threads
            if self._running < self._limit:
                self._start()
        return future

    def _start(self) -> None:
        thread = Thread(target=self._run, name=self._name, daemon=True)
        self._running += 1
        try:
            thread.start()
        except RuntimeError as error:  # the machine has no more threads
            self._running -= 1
            if not self._running:
                self._waiting.pop()[0].set_exception(error)

    def _run(self) -> None:
        """Do the work that waits until there is none."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                future, work = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised by the future's `result`
                future.set_exception(error)


SUBMITTING, ASKING = 64, 32
"""Maximum number of threads that wait for transactions, and that query, of the links between two chains."""


class PairThreads:
    """Executors of all links between two chains; a chain that hangs holds up no other pair."""

    def __init__(self) -> None:
        """Start no thread."""
        self.submitting = Threads(SUBMITTING, "relayer submits")
        """For submissions, each of which takes some blocks."""
        self.asking = Threads(ASKING, "relayer asks")
        """For optional work, such as queries of blocks and proofs."""
