"""Sequence buckets whose rows may differ from the last run.

A packet's row depends on its events, on its route (names, last blocks, gaps, progress) and on the
dictionary. So these buckets are rewritten: those with events in added or removed segments, all buckets of a
new or renamed route, and, where only new blocks of a chain were added, those with packets whose state may
depend on them.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from pyibc.indexer.engines import Columns, Engine
from pyibc.indexer.lake.bands import Bands, bands_of, joined
from pyibc.indexer.lake.state import LakeState, RouteState
from pyibc.indexer.packet_table import OLDER_S
from pyibc.indexer.segments.manifest import Manifest
from pyibc.indexer.segments.numbers import BAND_BITS

_MOVED: Columns = (("way_key", "string"), ("unknown_stays", "boolean"), ("overdue_stays", "boolean"))


class Moved(NamedTuple):
    """Route whose chains have new blocks, and the states of packets in flight that these cannot change."""

    way: str
    unknown_stays: bool
    overdue_stays: bool


class Changes(NamedTuple):
    """Differences from the last run that follow from manifests."""

    bands: Bands  # to rewrite
    gone: frozenset[str]  # routes that no longer exist
    moved: list[Moved]  # routes whose packets in flight may have a new state


def changes(
    old: LakeState,
    removed: Iterable[Manifest],
    added: Iterable[Manifest],
    now: Iterable[Manifest],
    ways: Mapping[str, RouteState],
    every: Bands,
) -> Changes:
    """Compare this run with the last one.

    Args:
        old: the state that the last run committed.
        removed: its segments that no longer exist or are incomplete.
        added: segments that it did not have.
        now: all segments of this run.
        ways: the routes of this run.
        every: all existing buckets.
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
    """Return the buckets of ends that moved to another route, on their old and new routes."""
    return bands_of(
        (ways[end.number], end.bands)
        for manifest in manifests
        for end in manifest.ends
        if end.number in ends
        for ways in ways_of
        if end.number in ways
    )


def named(manifests: Iterable[Manifest], ways: Mapping[int, str]) -> Bands:
    """Return the buckets in the manifests of segments."""
    return bands_of(
        (ways[end.number], end.bands) for manifest in manifests for end in manifest.ends if end.number in ways
    )


def _moved(key: str, old: Sequence[int | None], now: Sequence[int | None]) -> Moved:
    """Determine whether unknown and overdue packets stay so: times only advance, no new height is missing."""
    base, _, src_ns, src_lacks, *_, dst_ns, _, dst_whole_ns = now
    ahead = all(
        (before is None) is (after is None) and (before or 0) <= (after or 0)
        for before, after in zip(old, now, strict=True)
    )
    in_step = src_ns is None or dst_ns is None or src_ns >= dst_ns - OLDER_S * 10**9
    same_gaps = (old[0], old[3]) == (base, src_lacks)
    same_received = old[-1] == dst_whole_ns
    unknown_stays = old[0] == base and (old[3] or 0) <= (src_lacks or 0)
    return Moved(key, unknown_stays and same_received, ahead and in_step and same_gaps and same_received)


def open_bands(engine: Engine, moved: Iterable[Moved]) -> Bands:
    """Find the buckets with packets in flight whose state may have changed, in the table `old_packets`."""
    engine.table("moved", _MOVED, moved)
    rows = engine.rows(
        f"SELECT DISTINCT moved.way_key, packets.sequence >> {BAND_BITS} AS band\n"
        "FROM old_packets AS packets JOIN moved ON substr(packets.packet_id, 1, 16) = moved.way_key\n"
        "WHERE packets.in_flight AND NOT (packets.unknown AND moved.unknown_stays)\n"
        "  AND NOT ((packets.stuck OR packets.ack_overdue) AND moved.overdue_stays)"
    )
    return bands_of((way, [(band, band)]) for way, band in rows)
