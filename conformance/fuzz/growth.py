"""Growth of a cost with the size of its input."""

from collections.abc import Sequence
from math import log, log2
from typing import NamedTuple


class Point(NamedTuple):
    """The cost of an input of one size."""

    size: int  # bytes
    cost: float


def slope(points: Sequence[Point], floor: float) -> float:
    """Return the exponent of the growth by least squares over logarithms. 1: linear, 2: quadratic.

    Points below `floor` measure fixed costs rather than growth and are ignored. Returns 0.0 if fewer than
    three points remain.
    """
    kept = [(log(point.size), log(point.cost)) for point in points if point.cost >= floor and point.size]
    if len(kept) < 3:
        return 0.0
    mean_x, mean_y = (sum(each) / len(kept) for each in zip(*kept, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in kept)
    return float(sum((x - mean_x) * (y - mean_y) for x, y in kept) / spread)


def growth(points: Sequence[Point], floor: float) -> float:
    """Return the exponent by which a noise-free cost grows at the largest sizes, fixed costs excluded.

    Expects three sizes, each about twice the one before, and compares the cost per additional byte between
    the last two with that between the first two. Returns 0.0 if the last increase is below `floor`.
    """
    first, second, third = points[-3:]
    if third.cost - second.cost < floor:
        return 0.0
    after = (third.cost - second.cost) / (third.size - second.size)
    before = max(second.cost - first.cost, floor / 2) / (second.size - first.size)
    return float(1 + log2(after / before))
