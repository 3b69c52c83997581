"""What differs from the last run, as bands of packets.

A packet's row is a function of its events, of its way (names, last blocks, what lacks), and of names'
numbers. So the bands to make anew are those with events of segments that came or went, all of a way that is
new or called otherwise, and, where a chain merely went on, those with packets whose state may follow from it.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from ibc_indexer.engines import Columns, Engine
from ibc_indexer.lake.bands import Bands, bands_of, joined
from ibc_indexer.lake.state import State, WayState
from ibc_indexer.packet_table import OLDER_S
from ibc_indexer.segments.manifest import Manifest
from ibc_indexer.segments.numbers import BAND_BITS

_MOVED: Columns = (("way_key", "string"), ("unknown_stays", "boolean"), ("stuck_stays", "boolean"))


class Moved(NamedTuple):
    """A way whose chains went on, and which packets in flight are told by that as they were before."""

    way: str
    unknown_stays: bool
    stuck_stays: bool


class Changes(NamedTuple):
    """What differs, as far as manifests tell."""

    bands: Bands  # to be made anew
    gone: frozenset[str]  # ways that there are no more
    moved: list[Moved]  # ways whose open packets may be another's state now


def changes(
    old: State,
    removed: Iterable[Manifest],
    added: Iterable[Manifest],
    now: Iterable[Manifest],
    ways: Mapping[str, WayState],
    every: Bands,
) -> Changes:
    """Compares this run with the last one.

    Args:
        old: what that left.
        removed: its segments that are no more or not whole.
        added: segments that it had not.
        now: all segments of this run.
        ways: those of this run.
        every: all bands that there are.
    """
    before = {number: key for key, way in old.ways.items() for number in way.ends}
    after = {number: key for key, way in ways.items() for number in way.ends}
    renewed = {
        key: every[key]
        for key, way in ways.items()
        if key not in old.ways or old.ways[key].fixed != way.fixed
    }
    elsewhere = {n for n in before.keys() | after.keys() if before.get(n) != after.get(n)}
    touched = joined(
        named(removed, before), named(added, after), renewed, _of_ends(now, elsewhere, before, after)
    )
    moved = [
        _moved(key, old.ways[key].moving, way.moving)
        for key, way in ways.items()
        if key in old.ways and old.ways[key].moving != way.moving
    ]
    return Changes(touched, frozenset(old.ways.keys() - ways.keys()), moved)


def _of_ends(manifests: Iterable[Manifest], ends: Container[int], *ways_of: Mapping[int, str]) -> Bands:
    """The bands of ends that are of another way than they were, in either."""
    return bands_of(
        (ways[end.number], end.bands)
        for manifest in manifests
        for end in manifest.ends
        if end.number in ends
        for ways in ways_of
        if end.number in ways
    )


def named(manifests: Iterable[Manifest], ways: Mapping[int, str]) -> Bands:
    """The bands that segments tell of."""
    return bands_of(
        (ways[end.number], end.bands) for manifest in manifests for end in manifest.ends if end.number in ways
    )


def _moved(key: str, old: Sequence[int | None], now: Sequence[int | None]) -> Moved:
    """Whether what was overdue or unknown is so still: if clocks only went on, and no new height lacks."""
    _, src_ns, src_lacks, _, dst_ns = now
    ahead = all(
        (before is None) is (after is None) and (before or 0) <= (after or 0)
        for before, after in zip(old, now, strict=True)
    )
    in_step = src_ns is None or dst_ns is None or src_ns >= dst_ns - OLDER_S * 10**9
    same_gaps = old[2] == src_lacks
    return Moved(key, (old[2] or 0) <= (src_lacks or 0), ahead and in_step and same_gaps)


def open_bands(engine: Engine, moved: Iterable[Moved]) -> Bands:
    """Bands with packets in flight whose state may be another one now, out of `old_packets`."""
    engine.table("moved", _MOVED, moved)
    rows = engine.rows(
        f"SELECT DISTINCT moved.way_key, packets.sequence >> {BAND_BITS} AS band\n"
        "FROM old_packets AS packets JOIN moved ON substr(packets.packet_id, 1, 16) = moved.way_key\n"
        "WHERE packets.in_flight AND NOT (packets.unknown AND moved.unknown_stays)\n"
        "  AND NOT (packets.stuck AND moved.stuck_stays)"
    )
    return bands_of((way, [(band, band)]) for way, band in rows)
