"""Time to read an input, as CPU time of the current thread, which is independent of other processes.

Thread time is used because Linux rounds process time to ticks of some milliseconds while an interval timer
(`_limited`) runs, which is the whole duration of a small input.
"""

import gc
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from conformance.fuzz.case import Attack, Case
from conformance.fuzz.growth import Point, slope

MB = 1_000_000
SIZES = tuple(1000 << power for power in range(11))
"""Input sizes from 1 KB to 1,024 KB, bytes. A transaction may have 1,048,576 bytes."""
SMALL, LARGE = SIZES[2], SIZES[5]
"""Input sizes of a probe, bytes."""
FLOOR_S = 0.002
"""Shorter times are mostly fixed costs, seconds."""
ENOUGH_S = 0.5
"""Time after which a case is not measured at larger sizes, seconds."""
PATIENCE_S = 5.0
APART = 331
"""Difference in size between two inputs of a case, bytes; larger than any repeated piece, so that they
differ."""


class Run(NamedTuple):
    """Measurement of one input."""

    size: int
    unsigned_s: float  # the part of `total_s` before any signature is verified
    total_s: float
    verdict: str  # `bug: ...` for an exception that is not a refusal, `endless` after the time limit
    reported: int = 0  # bytes of events, data and log
    # Times are the minimum over several runs.


class Row(NamedTuple):
    """Measurements of one case."""

    name: str
    slope: float
    runs: tuple[Run, ...]  # by size
    counted: float | None = None
    """Exponent of the counted work; set only if the slope of the times is too steep."""

    @property
    def last(self) -> Run:
        """Measurement of the largest input."""
        return self.runs[-1]

    @property
    def ms_per_mb(self) -> float:
        """Time for the largest input, milliseconds per megabyte."""
        return self.last.total_s * 1000 / (self.last.size / MB)

    @property
    def reported_per_byte(self) -> float:
        """Bytes that the node reports per byte of the largest input."""
        return self.last.reported / self.last.size

    @property
    def unsigned_ms_per_mb(self) -> float:
        """Time before any signature is verified for the largest input, milliseconds per megabyte."""
        return self.last.unsigned_s * 1000 / (self.last.size / MB)


class _Endless(BaseException):
    """The time limit is exceeded. Derives from BaseException, so no handler of Exception stops it."""


def once(attack: Attack) -> Run:
    """Measure one input."""
    start, middle = time.thread_time(), None
    try:
        with _limited(PATIENCE_S):
            refused = attack.before_signatures()
            middle = time.thread_time()
            verdict = refused or attack.after_signatures()
    except _Endless:
        verdict = "endless"
    except Exception as error:  # noqa: BLE001 - whatever it is: that is what is looked for
        verdict = f"bug: {type(error).__name__}: {str(error)[:100]}"
    end = time.thread_time()
    return Run(attack.size, (middle or end) - start, end - start, verdict, attack.reported())


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
    """Return the fastest of several runs; each on a different input, to avoid cache hits."""
    runs = []
    for number in range(repeats):
        attack = case.prepare(size + APART * number)
        gc.collect(0)
        runs.append(once(attack))
        if runs[-1].total_s >= ENOUGH_S:
            break
    return min(runs, key=lambda run: run.total_s)


def sweep(case: Case, sizes: Sequence[int] = SIZES, repeats: int = 3) -> Row:
    """Measure a case at all sizes, up to the first that takes too long."""
    runs: list[Run] = []
    for size in sizes:
        runs.append(best(case, size, repeats))
        if runs[-1].total_s >= ENOUGH_S:
            break
    return _row(case, runs)


def again(case: Case, row: Row, repeats: int = 3) -> Row:
    """Measure a case again at the sizes of its row, and return the faster run of each size."""
    sizes = [size for size, _ in zip(SIZES, row.runs, strict=False)]
    runs = [min(best(case, size, repeats), run, key=_time) for size, run in zip(sizes, row.runs, strict=True)]
    return _row(case, runs)


def _time(run: Run) -> float:
    return run.total_s / run.size


def _row(case: Case, runs: Sequence[Run]) -> Row:
    return Row(case.name, slope([Point(run.size, run.total_s) for run in runs], FLOOR_S), tuple(runs))


def probe(cases: Iterable[Case]) -> list[tuple[Case, Run, Run]]:
    """Measure every case at two sizes, to select the ones to measure in detail."""
    return [(case, once(case.prepare(SMALL)), once(case.prepare(LARGE))) for case in cases]


def suspects(probed: Sequence[tuple[Case, Run, Run]], count: int) -> list[Case]:
    """Return the cases to measure in detail: highest cost per byte, steepest growth, and all bugs."""
    dear = sorted(probed, key=lambda each: -each[2].total_s / each[2].size)[:count]
    doors = sorted(probed, key=lambda each: -each[2].unsigned_s / each[2].size)[:count]
    loud = sorted(probed, key=lambda each: -each[2].reported / each[2].size)[:count]
    notable = [each for each in probed if each[2].total_s >= FLOOR_S]
    fast = sorted(notable, key=lambda each: -each[2].total_s / max(each[1].total_s, FLOOR_S / 16))[:count]
    bugs = [each for each in probed if each[1].verdict.startswith("bug") or each[2].verdict.startswith("bug")]
    return list({each[0].name: each[0] for each in (*dear, *doors, *fast, *loud, *bugs)}.values())
