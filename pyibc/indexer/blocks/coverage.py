"""Coverage of chains: sets of heights as ranges, and the missing heights between them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

Range = tuple[int, int]  # first and last height, inclusive
LONGEST_RANGES = 20  # named in a description


@dataclass(frozen=True, slots=True)
class Heights:
    """Set of heights, stored as ascending ranges that neither overlap nor touch."""

    ranges: tuple[Range, ...] = ()

    @classmethod
    def of(cls, heights: Iterable[int]) -> "Heights":
        """Create the set of `heights`, which may be unordered and repeated."""
        return cls.spanning((height, height) for height in heights)

    @classmethod
    def spanning(cls, ranges: Iterable[Range]) -> "Heights":
        """Create the set of all heights in `ranges`, which may overlap; inverted ranges are empty."""
        joined = list[Range]()
        for first, last in sorted(ranges):
            if last < first:
                continue
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], max(joined[-1][1], last))
            else:
                joined.append((first, last))
        return cls(tuple(joined))

    @property
    def first(self) -> int:
        """Lowest height; 0 if the set is empty."""
        return self.ranges[0][0] if self.ranges else 0

    @property
    def last(self) -> int:
        """Highest height; 0 if the set is empty."""
        return self.ranges[-1][1] if self.ranges else 0

    @property
    def count(self) -> int:
        """Number of heights in the set."""
        return sum(last - first + 1 for first, last in self.ranges)

    def __contains__(self, height: int) -> bool:
        place = bisect_right(self.ranges, height, key=_first) - 1
        return place >= 0 and height <= self.ranges[place][1]

    def __iter__(self) -> Iterator[int]:
        """Iterate over the heights, ascending."""
        return (height for first, last in self.ranges for height in range(first, last + 1))

    def __or__(self, other: "Heights") -> "Heights":
        """Return the union."""
        return Heights.spanning((*self.ranges, *other.ranges))

    def __sub__(self, other: "Heights") -> "Heights":
        """Return the difference: heights that are not in `other`."""
        return Heights.spanning(
            left for first, last in self.ranges for left in other.lacking(first, last).ranges
        )

    def adding(self, height: int) -> "Heights":
        """Return this set with `height` added."""
        if self.ranges and height == self.ranges[-1][1] + 1:
            return Heights((*self.ranges[:-1], (self.ranges[-1][0], height)))
        place = bisect_left(self.ranges, height, key=_last)
        near = self.ranges[max(0, place - 1) : place + 2]
        joined = Heights.spanning((*near, (height, height))).ranges
        return Heights((*self.ranges[: max(0, place - 1)], *joined, *self.ranges[place + 2 :]))

    def split(self, count: int) -> tuple["Heights", "Heights"]:
        """Split into the lowest `count` heights and the others."""
        for place, (first, last) in enumerate(self.ranges):
            before, behind = self.ranges[:place], self.ranges[place + 1 :]
            if count < last - first + 1:
                middle = first + count
                return Heights.spanning((*before, (first, middle - 1))), Heights(((middle, last), *behind))
            count -= last - first + 1
        return self, NONE

    def lacking(self, first: int, last: int) -> "Heights":
        """Return the heights in `first`..`last` that are not in the set."""
        begin = bisect_left(self.ranges, first, key=_last)
        end = bisect_right(self.ranges, last, key=_first)
        inside = self.ranges[begin:end]
        edges = [(0, first - 1), *inside, (last + 1, last + 1)]
        return Heights(tuple((a + 1, b - 1) for (_, a), (b, _) in pairwise(edges) if a + 1 <= b - 1))

    def raised(self, base: int) -> "Heights":
        """Return the set of all heights plus `base`."""
        return Heights(tuple((first + base, last + base) for first, last in self.ranges)) if base else self

    def gaps(self) -> "Heights":
        """Return the missing heights between the lowest and the highest one."""
        return Heights(tuple((a + 1, b - 1) for (_, a), (b, _) in pairwise(self.ranges)))

    def __str__(self) -> str:
        return worded(self.ranges)


NONE = Heights()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Known heights of a chain."""

    full: Heights = field(default=NONE)  # blocks with their results
    part: Heights = field(default=NONE)  # single transactions, or headers without results
    incarnation: str = ""  # "": not known
    unreadable: Heights = field(default=NONE)  # lines that cannot be read
    since: int = 0  # first height after the chain that this one continues; 0: it continues none

    @property
    def gaps(self) -> Heights:
        """Heights without complete blocks between the first and the last known height.

        If the chain continues another one, the heights before its first known one are missing, too.
        """
        known = self.full | self.part | self.unreadable
        return self.full.lacking(self.since or known.first, known.last) if known.ranges else NONE

    def __or__(self, other: "Coverage") -> "Coverage":
        """Merge the coverage of two sources for the same chain."""
        return Coverage(
            self.full | other.full,
            self.part | other.part,
            self.incarnation or other.incarnation,
            self.unreadable | other.unreadable,
        )

    def raised(self, base: int) -> "Coverage":
        """Return this coverage with all heights plus `base`."""
        return Coverage(
            self.full.raised(base), self.part.raised(base), self.incarnation, self.unreadable.raised(base)
        )


class CoverageRow(NamedTuple):
    """Range of heights of a chain, covered or missing: a row of the frame `coverage`."""

    chain: str
    incarnation: str | None
    first: int
    last: int
    kind: str  # covered, gap


def coverage_rows(coverage: dict[str, Coverage]) -> list[CoverageRow]:
    """Return the ranges and gaps of all chains, ordered by chain and height."""
    rows = [
        CoverageRow(chain, known.incarnation or None, first, last, kind)
        for chain, known in coverage.items()
        for kind, heights in (("covered", known.full), ("gap", known.gaps))
        for first, last in heights.ranges
    ]
    return sorted(rows, key=lambda row: (row.chain, row.first))


def described(heights: Heights) -> dict[str, Any]:
    """Return the numbers, ends and longest ranges of `heights`, for JSON; the size is bounded."""
    ranges = heights.ranges
    longest = nlargest(LONGEST_RANGES, ranges, key=lambda found: found[1] - found[0])
    return {
        "heights": heights.count,
        "ranges": len(ranges),
        "first": heights.first if ranges else None,
        "last": heights.last if ranges else None,
        "longest": [list(found) for found in sorted(longest)],
    }


def lacks(gaps: Mapping[str, Any], limit: int = 5) -> str:
    """Describe missing heights for display, as in `3 heights are missing: 1-2, 9`; "" if there are none.

    `gaps` is the result of `described`. Of more than `limit` ranges, the longest are named.
    """
    number, ranges = gaps["heights"], gaps["ranges"]
    if not number:
        return ""
    text = f"{number:,} {'heights are' if number > 1 else 'height is'} missing"
    return f"{text}{f' in {ranges:,} ranges, the longest' if ranges > limit else ''}: {longest(gaps, limit)}"


def longest(found: Mapping[str, Any], limit: int = 5) -> str:
    """Format the longest ranges of a result of `described`, in the order of heights."""
    ranges = nlargest(limit, found["longest"], key=lambda each: each[1] - each[0])
    return worded((first, last) for first, last in sorted(ranges))


def worded(ranges: Iterable[Range], limit: int = 5) -> str:
    """Format ranges for display, as in `1-4, 9 and 3 more ranges`."""
    every = list(ranges)
    shown = ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in every[:limit])
    more = len(every) - limit
    return f"{shown} and {more:,} more range{'s' if more > 1 else ''}" if more > 0 else shown


_first, _last = itemgetter(0), itemgetter(1)
