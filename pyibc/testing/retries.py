"""Retries of a relayer that take no time."""

from math import inf

from pyibc.relayer.links.options import Options


class _Time:
    """Seconds that pass when somebody sleeps."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def __call__(self) -> float:
        return self._now_s

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        self._now_s += seconds


def without_waiting() -> Options:
    """Return options of a relayer that retries what fails until it is given up, in a time of its own."""
    time = _Time()
    return Options(sleep=time.passes, clock=time, retry_wait_s=inf)
