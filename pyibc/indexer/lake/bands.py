"""Sequence buckets: packets of a route whose sequences differ only in the low `numbers.BAND_BITS` bits.

The manifest of a segment lists the buckets of its packets. Rows are written by whole buckets from all events
of the bucket, so an incremental run writes the same rows as a run from scratch.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pyibc.indexer.coverage import Heights, Range

Bands = dict[str, Heights]  # bucket numbers by the key of a route


def bands_of(found: Iterable[tuple[str, Iterable[Range]]]) -> Bands:
    """Merge ranges of bucket numbers by route."""
    ranges: dict[str, list[Range]] = defaultdict(list)
    for way, some in found:
        ranges[way].extend(some)
    return {way: Heights.spanning(some) for way, some in ranges.items() if some}


def joined(*several: Mapping[str, Heights]) -> Bands:
    """Return the union."""
    return bands_of((way, bands.ranges) for some in several for way, bands in some.items())


def common(one: Mapping[str, Heights], other: Mapping[str, Heights]) -> Bands:
    """Return the intersection."""
    found = {way: both(bands, other[way]) for way, bands in one.items() if way in other}
    return {way: bands for way, bands in found.items() if bands.ranges}


def both(one: Heights, other: Heights) -> Heights:
    """Return the intersection of two sets of numbers."""
    return one - (one - other)


def overlap(one: Mapping[str, Heights], other: Mapping[str, Heights]) -> bool:
    """Return whether the intersection is not empty."""
    return any(way in other and both(bands, other[way]).ranges for way, bands in one.items())
