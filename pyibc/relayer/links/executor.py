"""Executor that runs prefetches and other optional work concurrently with a link."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

V = TypeVar("V")


class Executor(Protocol):
    """Runs calls concurrently with the caller; the part of `concurrent.futures.Executor` that is needed."""

    def submit(self, work: Callable[[], V], /) -> Future[V]:
        """Schedule `work` and return its future. An error is raised only by the future's `result`."""


def start(executor: Executor | None, work: Callable[[], V]) -> Callable[[], V]:
    """Start `work` and return a function that waits for its result.

    Without an executor `work` runs when the result is asked for.
    """
    return work if executor is None else executor.submit(work).result
