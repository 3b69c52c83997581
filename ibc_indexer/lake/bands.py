"""Bands of packets: those of a way whose sequences differ in the low bits alone (`numbers.BAND_BITS`).

What a sealed range tells of its packets is in which bands they are. Rows are made by whole bands, out of all
events of the band: so what is made anew equals what a run from the beginning makes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ibc_indexer.coverage import Heights, Range

Bands = dict[str, Heights]  # by the key of a way


def bands_of(found: Iterable[tuple[str, Iterable[Range]]]) -> Bands:
    """All bands in `found`, by way."""
    ranges: dict[str, list[Range]] = defaultdict(list)
    for way, some in found:
        ranges[way].extend(some)
    return {way: Heights.spanning(some) for way, some in ranges.items() if some}


def joined(*several: Mapping[str, Heights]) -> Bands:
    """The bands of any."""
    return bands_of((way, bands.ranges) for some in several for way, bands in some.items())


def common(one: Mapping[str, Heights], other: Mapping[str, Heights]) -> Bands:
    """The bands of both."""
    found = {way: both(bands, other[way]) for way, bands in one.items() if way in other}
    return {way: bands for way, bands in found.items() if bands.ranges}


def both(one: Heights, other: Heights) -> Heights:
    """The numbers in both sets."""
    return one - (one - other)


def overlap(one: Mapping[str, Heights], other: Mapping[str, Heights]) -> bool:
    """Whether a band is in both."""
    return any(way in other and both(bands, other[way]).ranges for way, bands in one.items())
