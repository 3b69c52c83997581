"""Counts of the work of reading an input, equal on every machine under any load.

There are three counts: lines of Python executed; items that C methods process, taken as the length of the
text or list they are called on; and bytes requested in one allocation, which reveals copies. Other work in C
(`in`, regular expressions) is not counted and shows only in the measured time (`measure`).
"""

import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from conformance.fuzz.case import Case
from conformance.fuzz.growth import Point, growth

FLOORS = {"lines": 2_000, "scanned": 50_000, "copied": 50_000}
"""Increases below these values are not growth, but a resized table or a filling cache."""
_LARGER = 3
"""Additional larger sizes, for cases whose verdict changes between the requested ones."""
_COPY = 1024
"""Allocations of fewer bytes are not counted as copies of the input."""
_OF_LISTS = frozenset({"index", "count", "sort", "reverse", "copy", "remove", "insert"})
_NO_SCAN = frozenset({"startswith", "endswith", "format", "isascii", "append", "extend", "hex"})
"""Text methods whose cost does not depend on the length of the text."""


class Work(NamedTuple):
    """Work that was counted."""

    size: int
    lines: int
    scanned: int  # items
    copied: int  # bytes
    verdict: str


class Growth(NamedTuple):
    """The exponents by which the counts grow with the input, by their names."""

    name: str
    exponents: dict[str, float]
    verdict: str

    @property
    def most(self) -> float:
        """The largest exponent."""
        return max(self.exponents.values())


class _Counter:
    """Tracer and profiler that collect the counts."""

    def __init__(self) -> None:
        self.lines = 0
        self.scanned = 0
        self.copied = 0
        self._held = tracemalloc.get_traced_memory()[0]

    def entered(self, _frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any]:
        """Handle the entry of a function: request its line events."""
        return self.line

    def line(self, _frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any]:
        """Handle a line event or a return: the preceding line has been executed."""
        self.lines += 1
        held, most = tracemalloc.get_traced_memory()
        if most - self._held > _COPY:
            self.copied += most - self._held
        tracemalloc.reset_peak()
        self._held = held
        return self.line

    def called(self, _frame: FrameType, event: str, argument: Any) -> None:
        """Handle a profiler event: a call or return of a Python or C function."""
        if event == "c_call":
            self._method(argument)

    def _method(self, method: Any) -> None:
        owner, name = getattr(method, "__self__", None), method.__name__
        if (isinstance(owner, (bytes, str, bytearray)) and name not in _NO_SCAN) or (
            isinstance(owner, (list, tuple)) and name in _OF_LISTS
        ):
            self.scanned += len(owner)


@contextmanager
def counting() -> Iterator[_Counter]:
    """Count what runs in the `with` block."""
    tracemalloc.start()
    counter, before = _Counter(), sys.gettrace()
    sys.setprofile(counter.called)
    sys.settrace(counter.entered)
    try:
        yield counter
    finally:
        sys.settrace(before)
        sys.setprofile(None)
        tracemalloc.stop()


def work(case: Case, size: int) -> Work:
    """Return the work of one input of a case; raise any exception that is not a refusal."""
    attack = case.prepare(size)
    with counting() as counter:
        verdict = attack.run()
    return Work(attack.size, counter.lines, counter.scanned, counter.copied, verdict)


def grown(case: Case, sizes: Sequence[int]) -> Growth:
    """Return the growth of the work over three sizes, each twice the one before."""
    case.prepare(sizes[0] // 2).run()  # fill caches that are built on first use
    found = [work(case, size) for size in sizes]
    for larger in range(1, _LARGER + 1):
        if len({each.verdict for each in found}) == 1:
            break  # otherwise a limit lies between them: early refusals say nothing about the cost of reading
        found = [*found[1:], work(case, sizes[-1] << larger)]
    exponents = {
        count: growth([Point(each.size, getattr(each, count)) for each in found], floor)
        for count, floor in FLOORS.items()
    }
    return Growth(case.name, exponents, found[-1].verdict)
