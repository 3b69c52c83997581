"""Random decisions of a walk, from a seeded stream or any other number generator."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar

_T = TypeVar("_T")

Below = Callable[[int], int]
"""Returns a number in the range [0, limit)."""


class Choices:
    """Random decisions, each derived from one small number.

    Args:
        below: The number generator: `stream(seed)`, or with hypothesis
            `lambda limit: data.draw(integers(0, limit - 1))`.
    """

    def __init__(self, below: Below) -> None:
        self.below = below

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, inclusive."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Return True with a probability of `percent`."""
        return self.below(100) < percent

    def pick(self, options: Sequence[_T]) -> _T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def weighted(self, options: Sequence[tuple[int, _T]]) -> _T:
        """Return one of the options, by weight."""
        at = self.below(sum(weight for weight, _ in options))
        for weight, option in options:
            if at < weight:
                return option
            at -= weight
        raise ValueError("no options")

    def raw(self, size: int) -> bytes:
        """Return random bytes."""
        return bytes([self.below(256) for _ in range(size)])


def stream(seed: str) -> Below:
    """Return a number generator based on SHA-256, identical on every machine and Python version."""
    count = 0

    def below(limit: int) -> int:
        nonlocal count
        count += 1
        digest = sha256(f"{seed}/{count}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % limit

    return below
