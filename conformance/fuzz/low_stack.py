"""Cases run with little stack left: a verdict that depends on the caller's depth would split consensus."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator

from conformance.fuzz.case import Case

FRAMES = 400
"""Nested calls that every reader must get along with, including those of executing a transaction."""


def shallow(run: Callable[[], str]) -> str:
    """Return the verdict of a run that has only `FRAMES` calls left."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_depth() + FRAMES)
    try:
        return run()
    except RecursionError:
        return "bug: RecursionError"
    finally:
        sys.setrecursionlimit(limit)


def _depth() -> int:
    frame, depth = inspect.currentframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def unlike(cases: Iterable[Case], size: int) -> Iterator[str]:
    """Return the cases whose verdict differs with little stack left, with both verdicts."""
    for case in cases:
        first, second = case.prepare(size).run(), shallow(case.prepare(size).run)
        if first != second:
            yield f"{case.name}: {first}, with {FRAMES} calls left {second}"
