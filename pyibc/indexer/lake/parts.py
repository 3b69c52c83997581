"""Assignment of sequence buckets to file groups.

A file group is rewritten as a whole if one of its buckets changes. So the last buckets of each route, which
change often, are kept apart from old ones, and groups have a maximum size: a late acknowledgement rewrites
one group. If many small groups accumulate, some are merged.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pyibc.indexer.coverage import Heights
from pyibc.indexer.lake.bands import Bands, common, joined, overlap
from pyibc.indexer.lake.gathering import gathered
from pyibc.indexer.lake.state import FileGroup

HOT, COLD = 1 << 16, 1 << 18
"""Maximum events of a file group that changes often, and of one that does not."""
LAST = 2
"""Number of last buckets of a route that count as hot."""
MANY = 16
"""Number of small groups above which some are merged."""


class PlannedGroup(NamedTuple):
    """File group to write."""

    bands: Bands
    weight: int
    hot: bool


class Plan(NamedTuple):
    """Plan for the tables of packets."""

    kept: list[FileGroup]  # reused
    made: list[PlannedGroup]  # to write


def plan(
    old: Sequence[FileGroup], touched: Bands, gone: Iterable[str], every: Bands, weights: Mapping[str, int]
) -> Plan:
    """Decide which file groups are reused and which are written.

    Args:
        old: the groups of the last run.
        touched: buckets whose rows may have changed.
        gone: routes that no longer exist.
        every: all existing buckets.
        weights: number of events by route.
    """
    asked = touched | dict.fromkeys(gone, Heights(((0, 1 << 63),)))
    stale = [part for part in old if overlap(asked, bands_of_group(part))]
    left = [part for part in old if part not in stale]
    stale += _gathered(left)
    kept = [part for part in left if part not in stale]
    anew = common(joined(touched, *map(bands_of_group, stale)), every)
    parts = [anew, *map(bands_of_group, kept)]
    if joined(*parts) != every or sum(map(_count, parts)) != _count(every):  # `old` is inconsistent
        kept, anew = [], every
    a_band = {way: max(1, weights[way] // bands.count) for way, bands in every.items()}
    return Plan(kept, list(_packed(anew, touched, every, a_band)))


def bands_of_group(part: FileGroup) -> Bands:
    """Return the buckets of a file group."""
    return {way: Heights(ranges) for way, ranges in part.bands.items()}


def _count(bands: Bands) -> int:
    return sum(some.count for some in bands.values())


def _gathered(parts: Sequence[FileGroup]) -> list[FileGroup]:
    small = (part for part in parts if part.weight < (HOT // 8 if part.hot else COLD // 2))
    return gathered(small, MANY, COLD)


def _packed(anew: Bands, touched: Bands, every: Bands, a_band: Mapping[str, int]) -> Iterable[PlannedGroup]:
    """Group the buckets to write: hot ones that change now, other hot ones, all others."""
    sorts: list[list[tuple[str, int]]] = [[], [], []]
    for way, bands in sorted(anew.items()):
        changing = touched.get(way, Heights())
        for band in bands:
            hot = band > every[way].last - LAST
            sorts[(0 if band in changing else 1) if hot else 2].append((way, band))
    for number, found in enumerate(sorts):
        yield from _filled(found, a_band, number < 2)


def _filled(bands: Sequence[tuple[str, int]], a_band: Mapping[str, int], hot: bool) -> Iterable[PlannedGroup]:
    full, found, weight = HOT if hot else COLD, dict[str, list[int]](), 0
    for way, band in bands:
        found.setdefault(way, []).append(band)
        weight += a_band[way]
        if weight >= full:
            yield _planned(found, weight, hot)
            found, weight = {}, 0
    if found:
        yield _planned(found, weight, hot)


def _planned(found: Mapping[str, Iterable[int]], weight: int, hot: bool) -> PlannedGroup:
    return PlannedGroup({way: Heights.of(bands) for way, bands in found.items()}, weight, hot)
