"""The last run beside the segments of this one: what may stay of it, and how much there is to do.

How much is told by manifests, before an engine is opened: which one is opened depends on it.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from ibc_indexer.errors import MalformedManifest, MalformedState
from ibc_indexer.lake.bands import joined, overlap
from ibc_indexer.lake.changes import named
from ibc_indexer.lake.parts import bands_of_part
from ibc_indexer.lake.state import State, read_state
from ibc_indexer.lake.tables import definitions
from ibc_indexer.segments.manifest import Manifest, read_manifest
from ibc_indexer.segments.sealing import Sealed, Segment
from ibc_indexer.segments.shelf import SUFFIX
from ibc_indexer.storage.locations import Location, sizes_in

LOOKED_AT = 10
"""Events that are only looked at, for pairing and for the report, that cost as much as one that is made."""


class Before(NamedTuple):
    """A last run of which something can stay."""

    state: State
    added: list[Segment]  # what it had not
    removed: list[Manifest]  # what is no more

    def concerns(self, role: str) -> bool:
        """Whether rows of a role came or went."""
        return any(role in one.files for one in (*(each.manifest for each in self.added), *self.removed))


class LastRun(NamedTuple):
    """What the last run left."""

    state: State | None  # None: there was none, or it is not as it was left
    before: Before | None  # None: nothing of it can stay

    def work(self, now: Sequence[Manifest]) -> int:
        """How much this run has to do, as far as manifests tell: see `weighed`.

        What only the engine finds (ends that are paired now, ways that are called otherwise) is not in it.
        """
        every = sum(manifest.rows for manifest in now)
        return weighed(every if self.before is None else _touched(self.before), every)


def weighed(made: int, every: int) -> int:
    """The work of a run in events: those whose rows are made, and a share of the others."""
    made = min(made, every)
    return made + (every - made) // LOOKED_AT


def last_run(out: Location, sealed: Sealed, chains: dict[str, str]) -> LastRun:
    """What the last run left in `out`; `chains` are their names, by how sealed rows call them."""
    try:
        state = read_state(out)
    except MalformedState:
        return LastRun(None, None)
    return LastRun(state, _before(state, sealed, chains))


def _before(old: State, sealed: Sealed, chains: dict[str, str]) -> Before | None:
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
        return None  # chains are called otherwise
    if not all(name in sizes and PurePath(name).name == name for name in old.origins):
        return None
    added = [segment for segment in sealed.segments if not known.issuperset(segment.manifest.atoms)]
    return Before(old, added, [one for one in gone if not now.issuperset(one.atoms)])


def _touched(before: Before) -> int:
    """Events that came, and those of the parts that they, or what is no more, are in."""
    added = [segment.manifest for segment in before.added]
    ways = {number: key for key, way in before.state.ways.items() for number in way.ends}
    asked = joined(named(added, ways), named(before.removed, ways))
    stale = (part.weight for part in before.state.parts if overlap(asked, bands_of_part(part)))
    return sum(stale) + sum(manifest.rows for manifest in added)
