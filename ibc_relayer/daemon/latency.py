"""How long transactions take, in the buckets of a Prometheus histogram."""

from bisect import bisect_left
from threading import Lock
from typing import NamedTuple

BOUNDS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
"""Upper bounds of buckets, seconds; above the last there is one more."""


class Latencies(NamedTuple):
    """Numbers by bucket, and the sum of all seconds."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS_S) + 1)
    total_s: float = 0.0


class Stopwatch:
    """Gathers latencies, of any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts = [0] * (len(BOUNDS_S) + 1)
        self._total_s = 0.0

    def took(self, seconds: float) -> None:
        """Adds one."""
        with self._lock:
            self._counts[bisect_left(BOUNDS_S, seconds)] += 1
            self._total_s += seconds

    @property
    def value(self) -> Latencies:
        """What was gathered so far."""
        with self._lock:
            return Latencies(tuple(self._counts), self._total_s)
