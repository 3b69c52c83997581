"""Comparison of the last run with the segments of this one: reusable results, and the remaining work.

The work is estimated from manifests alone, because the choice of the engine depends on it.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from pyibc.indexer.errors import MalformedManifest, MalformedState
from pyibc.indexer.lake.bands import joined, overlap
from pyibc.indexer.lake.changes import named
from pyibc.indexer.lake.parts import bands_of_group
from pyibc.indexer.lake.state import LakeState, damaged_files, read_state
from pyibc.indexer.lake.tables import definitions
from pyibc.indexer.segments.manifest import Manifest, read_manifest
from pyibc.indexer.segments.sealing import Sealed, Segment
from pyibc.indexer.segments.shelf import SUFFIX
from pyibc.indexer.storage.locations import Location, sizes_in

LOOKED_AT = 10
"""Number of events that are only read, for pairing and the report, with the cost of one that is written."""


class Before(NamedTuple):
    """Reusable last run."""

    state: LakeState
    added: list[Segment]  # segments that it did not have
    removed: list[Manifest]  # of segments that no longer exist

    def concerns(self, role: str) -> bool:
        """Return whether segments with rows of a role were added or removed."""
        return any(role in one.files for one in (*(each.manifest for each in self.added), *self.removed))


class LastRun(NamedTuple):
    """Results of the last run."""

    state: LakeState | None  # None: there was no run, or its results were modified
    before: Before | None  # None: nothing is reusable
    damaged: list[Location]  # files of the tables with other content than was written

    def work(self, now: Sequence[Manifest]) -> int:
        """Estimate the work of this run from manifests (`weighed`).

        Changes that only the engine can find, such as newly paired ends and renamed routes, are not included.
        """
        every = sum(manifest.rows for manifest in now)
        return weighed(every if self.before is None else _touched(self.before), every)


def weighed(made: int, every: int) -> int:
    """Return the work of a run in events: those whose rows are written, and a share of the others."""
    made = min(made, every)
    return made + (every - made) // LOOKED_AT


def last_run(out: Location, sealed: Sealed, chains: dict[str, str]) -> LastRun:
    """Read the results of the last run in `out`; `chains` maps names in segments to names in the results."""
    try:
        state = read_state(out)
    except MalformedState:
        return LastRun(None, None, [])
    damaged = damaged_files(out, sealed.folder, state)
    return LastRun(state, None if damaged else _before(state, sealed, chains), damaged)


def _before(old: LakeState, sealed: Sealed, chains: dict[str, str]) -> Before | None:
    if old.queries != definitions():
        return None
    try:
        known = set(old.atoms)
        now = {atom for segment in sealed.segments for atom in segment.manifest.atoms}
        there = {segment.name for segment in sealed.segments}
        sizes = sizes_in(sealed.folder)
        gone = [
            read_manifest(sealed.folder / (name + SUFFIX), sizes)
            for name in old.segments
            if name not in there
        ]
    except MalformedManifest:
        return None
    if any(chains.get(key, name) != name for key, name in old.chains.items()):
        return None  # chains were renamed
    if not all(
        sizes.get(one.name) == one.size and PurePath(one.name).name == one.name for one in old.origins
    ):
        return None
    added = [segment for segment in sealed.segments if not known.issuperset(segment.manifest.atoms)]
    return Before(old, added, [one for one in gone if not now.issuperset(one.atoms)])


def _touched(before: Before) -> int:
    """Count the added events, and those of the file groups that contain added or removed packets."""
    added = [segment.manifest for segment in before.added]
    ways = {number: key for key, way in before.state.ways.items() for number in way.ends}
    asked = joined(named(added, ways), named(before.removed, ways))
    stale = (part.weight for part in before.state.parts if overlap(asked, bands_of_group(part)))
    return sum(stale) + sum(manifest.rows for manifest in added)
