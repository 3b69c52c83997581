"""Pauses that end when the thread that makes them is told to stop.

An endpoint and what it is used by know one function that pauses; each worker's thread has its own event.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, local


class Stopping(BaseException):
    """The worker was told to stop, in a pause; no `Exception`, lest something takes it for a fault."""


class _Running(local):
    stop: Event | None = None


_RUNNING = _Running()


@contextmanager
def stopping_at(stop: Event) -> Iterator[None]:
    """Within it, pauses of this thread end when `stop` is set."""
    before, _RUNNING.stop = _RUNNING.stop, stop
    try:
        yield
    finally:
        _RUNNING.stop = before


def running_stop() -> Event:
    """The event that ends pauses of this thread; one that is never set where there is none."""
    return _RUNNING.stop or Event()


def pause(seconds: float) -> None:
    """Pauses.

    Raises:
        Stopping: the thread's event is set.
    """
    if running_stop().wait(seconds):
        raise Stopping
