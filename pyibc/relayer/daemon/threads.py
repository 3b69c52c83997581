"""Threads of a daemon: a bounded executor, pauses that end when a thread is stopped, a bounded end."""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Event, Lock, Thread, local
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


# -- pauses that end when their thread is asked to stop
#
# Endpoints and their users share one function that pauses; each worker's thread has its own event.


class Stopping(BaseException):
    """Stop of the worker during a pause; not an `Exception`, so that error handlers do not catch it."""


class _Running(local):
    stop: Event | None = None


_RUNNING = _Running()


@contextmanager
def stopping_at(stop: Event) -> Iterator[None]:
    """Let `stop` end the pauses of this thread, within the context."""
    before, _RUNNING.stop = _RUNNING.stop, stop
    try:
        yield
    finally:
        _RUNNING.stop = before


def running_stop() -> Event:
    """Return the event that ends pauses of this thread; without one, an event that is never set."""
    return _RUNNING.stop or Event()


def pause(seconds: float) -> None:
    """Pause for some seconds.

    Raises:
        Stopping: the thread's event is set.
    """
    if running_stop().wait(seconds):
        raise Stopping


# -- bounded end of a daemon: service managers kill programs that take long, and then say nothing

log = logging.getLogger("pyibc.relayer")

END_S = 19.0
"""Maximum seconds from the signal to the end of the process, whatever hangs."""


@contextmanager
def ended_in_time(
    stop: threading.Event, code: int, limit_s: float = END_S, leave: Callable[[int], object] = os._exit
) -> Iterator[None]:
    """End the process with exit code `code` if the block has not ended `limit_s` seconds after `stop` is set.

    This loses nothing, like a kill. If the block leaves threads that the interpreter would wait for, it still
    holds after the block.
    """
    before, done = set(threading.enumerate()), threading.Event()

    def watch() -> None:
        stop.wait()
        # guard: the-end-waits-for-whatever-hangs always test_what_hangs_is_left_behind_at_the_end
        if done.wait(limit_s):
            return
        hanging = [each.name for each in set(threading.enumerate()) - before if each is not watcher]
        log.warning("ended without waiting", extra={"threads": sorted(hanging)[:20]})
        leave(code)

    watcher = threading.Thread(target=watch, name="relayer shutdown", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        left = [each for each in set(threading.enumerate()) - before if not each.daemon and each.is_alive()]
        if not left:
            done.set()
            stop.set()  # ends the watcher
