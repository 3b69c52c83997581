"""How long input takes to read, in CPU time of this thread: what other processes do does not count.

Of the thread, not of the process: while a process has an interval timer (`_limited`), Linux counts its time
in ticks of some milliseconds, which is what a small input takes altogether.
"""

import gc
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from conformance.fuzz.case import Attack, Case
from conformance.fuzz.fit import Point, slope

MB = 1_000_000
SIZES = tuple(1000 << power for power in range(11))
"""Bytes: 1 KB to 1,024 KB. A transaction may have 1,048,576 bytes."""
SMALL, LARGE = SIZES[2], SIZES[5]
"""Of a probe."""
FLOOR_S = 0.002
"""Times below it are mostly what every input costs."""
ENOUGH_S = 0.5
"""An input that takes so long is the largest of its case: slope and price are known."""
PATIENCE_S = 5.0
APART = 331
"""Bytes between the sizes of two inputs: more than any shape repeats, so that they are two."""


class Run(NamedTuple):
    """One input, read."""

    size: int
    door_s: float  # of `total_s`, what was done before a signature was looked at
    total_s: float
    verdict: str  # `bug: ...` of an exception that is no refusal, `endless` where it was given up
    # Times are the best of several.


class Row(NamedTuple):
    """A case, measured."""

    name: str
    slope: float
    runs: tuple[Run, ...]  # by size
    counted: float | None = None
    """The exponent by which its work grows, counted, where the slope of the times is at fault."""

    @property
    def last(self) -> Run:
        """The largest input."""
        return self.runs[-1]

    @property
    def ms_per_mb(self) -> float:
        """Of the largest input."""
        return self.last.total_s * 1000 / (self.last.size / MB)

    @property
    def door_ms_per_mb(self) -> float:
        """Of the largest input, what anybody may ask for."""
        return self.last.door_s * 1000 / (self.last.size / MB)


class _Endless(BaseException):
    """The time is up. No handler of Exception stops it."""


def once(attack: Attack) -> Run:
    """Reads one input."""
    start, middle = time.thread_time(), None
    try:
        with _limited(PATIENCE_S):
            refused = attack.door()
            middle = time.thread_time()
            verdict = refused or attack.inside()
    except _Endless:
        verdict = "endless"
    except Exception as error:  # noqa: BLE001 - whatever it is: that is what is looked for
        verdict = f"bug: {type(error).__name__}: {str(error)[:100]}"
    end = time.thread_time()
    return Run(attack.size, (middle or end) - start, end - start, verdict)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise _Endless

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def best(case: Case, size: int, repeats: int) -> Run:
    """The fastest of several runs; each on another input, for nothing to be remembered."""
    runs = []
    for number in range(repeats):
        attack = case.prepare(size + APART * number)
        gc.collect(0)
        runs.append(once(attack))
        if runs[-1].total_s >= ENOUGH_S:
            break
    return min(runs, key=lambda run: run.total_s)


def sweep(case: Case, sizes: Sequence[int] = SIZES, repeats: int = 3) -> Row:
    """A case at all sizes, up to one that takes too long."""
    runs: list[Run] = []
    for size in sizes:
        runs.append(best(case, size, repeats))
        if runs[-1].total_s >= ENOUGH_S:
            break
    return _row(case, runs)


def again(case: Case, row: Row, repeats: int = 3) -> Row:
    """A case at the sizes of its row, once more: of each size the fastest run, as others were disturbed."""
    sizes = [size for size, _ in zip(SIZES, row.runs, strict=False)]
    runs = [min(best(case, size, repeats), run, key=_time) for size, run in zip(sizes, row.runs, strict=True)]
    return _row(case, runs)


def _time(run: Run) -> float:
    return run.total_s / run.size


def _row(case: Case, runs: Sequence[Run]) -> Row:
    return Row(case.name, slope([Point(run.size, run.total_s) for run in runs], FLOOR_S), tuple(runs))


def probe(cases: Iterable[Case]) -> list[tuple[Case, Run, Run]]:
    """Every case once, at two sizes: enough to see which of them to look at."""
    return [(case, once(case.prepare(SMALL)), once(case.prepare(LARGE))) for case in cases]


def suspects(probed: Sequence[tuple[Case, Run, Run]], count: int) -> list[Case]:
    """The cases to sweep: the dearest for their bytes, those that grow fastest, each that ended in a bug."""
    dear = sorted(probed, key=lambda each: -each[2].total_s / each[2].size)[:count]
    doors = sorted(probed, key=lambda each: -each[2].door_s / each[2].size)[:count]
    notable = [each for each in probed if each[2].total_s >= FLOOR_S]
    fast = sorted(notable, key=lambda each: -each[2].total_s / max(each[1].total_s, FLOOR_S / 16))[:count]
    bugs = [each for each in probed if each[1].verdict.startswith("bug") or each[2].verdict.startswith("bug")]
    return list({each[0].name: each[0] for each in (*dear, *doors, *fast, *bugs)}.values())
