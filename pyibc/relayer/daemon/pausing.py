"""Pauses that end when their thread is asked to stop.

Endpoints and their users share one function that pauses; each worker's thread has its own event.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, local


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
