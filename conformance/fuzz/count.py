"""The work of reading an input, counted: the same on every machine, whatever else it does.

Three counts. Lines of Python that are run. Items that a method of C goes through: the length of the text or
list that it is a method of. Bytes that are asked for at once, which is how a copy shows. What C does in other
ways (`in`, regular expressions) shows in no count, but in its time (`measure`).
"""

import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from conformance.fuzz.case import Case
from conformance.fuzz.fit import Point, growth

FLOORS = {"lines": 2_000, "scanned": 50_000, "copied": 50_000}
"""Increases below are no growth: a table that doubles, a cache that fills."""
_LARGER = 3
"""Sizes beyond those asked for, where the verdict changes among them."""
_COPY = 1024
"""Bytes; what asks for less is no copy of the input."""
_OF_LISTS = frozenset({"index", "count", "sort", "reverse", "copy", "remove", "insert"})
_NO_SCAN = frozenset({"startswith", "endswith", "format", "isascii", "append", "extend", "hex"})
"""Methods of texts whose cost is not the length of the text."""


class Work(NamedTuple):
    """What was counted."""

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
        """The largest one."""
        return max(self.exponents.values())


class _Counter:
    """What a tracer and a profiler tell."""

    def __init__(self) -> None:
        self.lines = 0
        self.scanned = 0
        self.copied = 0
        self._held = tracemalloc.get_traced_memory()[0]

    def entered(self, _frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any]:
        """A function is entered: its lines are to be told."""
        return self.line

    def line(self, _frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any]:
        """A line begins, or a function is left: the line before has run."""
        self.lines += 1
        held, most = tracemalloc.get_traced_memory()
        if most - self._held > _COPY:
            self.copied += most - self._held
        tracemalloc.reset_peak()
        self._held = held
        return self.line

    def called(self, _frame: FrameType, event: str, argument: Any) -> None:
        """A function is called or left, of Python or of C."""
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
    """Counts what runs in the `with` block."""
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
    """What one input of a case takes. Raises what is no refusal."""
    attack = case.prepare(size)
    with counting() as counter:
        verdict = attack.run()
    return Work(attack.size, counter.lines, counter.scanned, counter.copied, verdict)


def grown(case: Case, sizes: Sequence[int]) -> Growth:
    """How the work grows over three sizes, each twice the one before."""
    case.prepare(sizes[0] // 2).run()  # what is made once, and kept, is made now
    found = [work(case, size) for size in sizes]
    for larger in range(1, _LARGER + 1):
        if len({each.verdict for each in found}) == 1:
            break  # else a limit lies between them: what is refused early says nothing of what is read
        found = [*found[1:], work(case, sizes[-1] << larger)]
    exponents = {
        count: growth([Point(each.size, getattr(each, count)) for each in found], floor)
        for count, floor in FLOORS.items()
    }
    return Growth(case.name, exponents, found[-1].verdict)
