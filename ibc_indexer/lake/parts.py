"""Which bands are made together, in one file or a few.

A part is made anew as a whole if one of its bands is. So the last bands of ways, where most is going on, are
apart from those that nobody asks for any more, and parts have a size: a late acknowledgement costs the making
of one part. Where small parts gather, some of them become one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ibc_indexer.coverage import Heights
from ibc_indexer.lake.bands import Bands, common, joined, overlap
from ibc_indexer.lake.gathering import gathered
from ibc_indexer.lake.state import Part

HOT, COLD = 1 << 16, 1 << 18
"""Events in a part that is asked for often, and in one that is not."""
LAST = 2
"""Bands at the end of a way that are hot."""
MANY = 16
"""Small parts that are let be."""


class Planned(NamedTuple):
    """A part to be made."""

    bands: Bands
    weight: int
    hot: bool


class Plan(NamedTuple):
    """How the tables of packets come about."""

    kept: list[Part]
    made: list[Planned]


def plan(
    old: Sequence[Part], touched: Bands, gone: Iterable[str], every: Bands, weights: Mapping[str, int]
) -> Plan:
    """Says which parts stay and which are made.

    Args:
        old: the parts of the last run.
        touched: bands whose rows may be other ones now.
        gone: ways that there are no more.
        every: all bands that there are.
        weights: events by way.
    """
    asked = touched | dict.fromkeys(gone, Heights(((0, 1 << 63),)))
    stale = [part for part in old if overlap(asked, bands_of_part(part))]
    left = [part for part in old if part not in stale]
    stale += _gathered(left)
    kept = [part for part in left if part not in stale]
    anew = common(joined(touched, *map(bands_of_part, stale)), every)
    parts = [anew, *map(bands_of_part, kept)]
    if joined(*parts) != every or sum(map(_count, parts)) != _count(every):  # somebody else's parts
        kept, anew = [], every
    a_band = {way: max(1, weights[way] // bands.count) for way, bands in every.items()}
    return Plan(kept, list(_packed(anew, touched, every, a_band)))


def bands_of_part(part: Part) -> Bands:
    """The bands that are made together."""
    return {way: Heights(ranges) for way, ranges in part.bands.items()}


def _count(bands: Bands) -> int:
    return sum(some.count for some in bands.values())


def _gathered(parts: Sequence[Part]) -> list[Part]:
    small = (part for part in parts if part.weight < (HOT // 8 if part.hot else COLD // 2))
    return gathered(small, MANY, COLD)


def _packed(anew: Bands, touched: Bands, every: Bands, a_band: Mapping[str, int]) -> Iterable[Planned]:
    """Parts: hot bands that change now, hot ones that do not, all others."""
    sorts: list[list[tuple[str, int]]] = [[], [], []]
    for way, bands in sorted(anew.items()):
        changing = touched.get(way, Heights())
        for band in bands:
            hot = band > every[way].last - LAST
            sorts[(0 if band in changing else 1) if hot else 2].append((way, band))
    for number, found in enumerate(sorts):
        yield from _filled(found, a_band, number < 2)


def _filled(bands: Sequence[tuple[str, int]], a_band: Mapping[str, int], hot: bool) -> Iterable[Planned]:
    full, found, weight = HOT if hot else COLD, dict[str, list[int]](), 0
    for way, band in bands:
        found.setdefault(way, []).append(band)
        weight += a_band[way]
        if weight >= full:
            yield _planned(found, weight, hot)
            found, weight = {}, 0
    if found:
        yield _planned(found, weight, hot)


def _planned(found: Mapping[str, Iterable[int]], weight: int, hot: bool) -> Planned:
    return Planned({way: Heights.of(bands) for way, bands in found.items()}, weight, hot)
