"""Where a walk's decisions come from: a stream that a seed determines, or whoever draws numbers."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar

_T = TypeVar("_T")

Below = Callable[[int], int]
"""limit -> a number from 0 up to but not including it."""


class Choices:
    """Decisions, each made out of one small number.

    Args:
        below: gives the numbers: `stream(seed)`, or a hypothesis strategy's
            `lambda limit: data.draw(integers(0, limit - 1))`.
    """

    def __init__(self, below: Below) -> None:
        self.below = below

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Yes in so many of a hundred cases."""
        return self.below(100) < percent

    def pick(self, options: Sequence[_T]) -> _T:
        """One of several."""
        return options[self.below(len(options))]

    def weighted(self, options: Sequence[tuple[int, _T]]) -> _T:
        """One of several, each as often as its weight says."""
        at = self.below(sum(weight for weight, _ in options))
        for weight, option in options:
            if at < weight:
                return option
            at -= weight
        raise ValueError("no options")

    def raw(self, size: int) -> bytes:
        """So many bytes."""
        return bytes([self.below(256) for _ in range(size)])


def stream(seed: str) -> Below:
    """Numbers out of SHA-256, the same for the same seed on every machine and Python."""
    count = 0

    def below(limit: int) -> int:
        nonlocal count
        count += 1
        digest = sha256(f"{seed}/{count}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % limit

    return below
