"""Resolution of heights that are in several files: the first complete record of a block is used.

Overlapping files are found by the ranges in their manifests; only the blocks of these files are read. Files
that contradict each other at nearly all heights are of different incarnations of a chain.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow.parquet as pq

from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.lineage.restarts import Comparison, Piece, incarnations_of
from pyibc.indexer.lines import LineHead
from pyibc.indexer.problems import Problems, Skipped
from pyibc.indexer.segments.lines import Place, contradiction
from pyibc.indexer.segments.manifest import Manifest
from pyibc.indexer.storage.locations import Location, local

Sealed = tuple[Manifest, Location]  # and the folder of its files
Renamed = dict[int, dict[str, str]]  # new `ChainKey`, as text, by segment and that in the segment


class Overlaps(NamedTuple):
    """Blocks to leave out by file (by its index), chains to rename, and contradictions."""

    shared: set[int]  # files with a height that is in another file, too
    without: dict[int, frozenset[Place]]
    renamed: Renamed  # chains that are another incarnation than their lines say
    chains: set[str]  # all of them, as `ChainKey`, with these names
    problems: list[Skipped]

    @property
    def altered(self) -> list[int]:
        """Segments that are sealed again, without some blocks or with other names of chains."""
        return sorted({*self.without, *self.renamed})


class _Record(NamedTuple):
    """Record of a block in one of the files."""

    number: int
    head: LineHead
    offset: int

    @property
    def place(self) -> Place:
        """Chain and height, as in the segment."""
        return str(self.head.chain), self.head.height


def overlaps(sealed: Sequence[Sealed]) -> Overlaps:
    """Find the blocks that are in several segments, and decide which record of each is used.

    `sealed` has the manifests of block lines in the order of precedence.
    """
    manifests = [manifest for manifest, _ in sealed]
    chains = Incarnations(ChainKey.parsed(key) for manifest in manifests for key in manifest.chains)
    shared = _overlapping(manifests, chains)
    renamed = _restarted(sealed, shared, chains)
    keys = {
        renamed.get(number, {}).get(key, key)
        for number, manifest in enumerate(manifests)
        for key in manifest.chains
    }
    without, problems = _superseded(sealed, shared, Incarnations(map(ChainKey.parsed, keys)), renamed)
    return Overlaps(shared, without, renamed, keys, problems)


def _superseded(
    sealed: Sequence[Sealed], shared: Iterable[int], chains: Incarnations, renamed: Renamed
) -> tuple[dict[int, frozenset[Place]], list[Skipped]]:
    """Return the blocks of each segment that others take precedence over, and those that contradict them."""
    best = dict[Place, _Record]()

    def named(record: _Record) -> Place:
        key, height = record.place
        return chains.name(ChainKey.parsed(renamed.get(record.number, {}).get(key, key))), height

    for record in _records(sealed, shared):
        before = best.setdefault(named(record), record)
        if before.head.partial and not record.head.partial:
            best[named(record)] = record
    without, problems = defaultdict[int, set[Place]](set), Problems()
    for record in _records(sealed, shared):
        chosen = best[named(record)]
        if chosen.number == record.number:
            continue
        without[record.number].add(record.place)
        if reason := contradiction(chosen.head, record.head):
            problems.add(sealed[record.number][0].sources[0].path, record.offset, reason)
    return {number: frozenset(places) for number, places in without.items()}, problems.all()


def _restarted(sealed: Sequence[Sealed], shared: Iterable[int], chains: Incarnations) -> Renamed:
    """Find the chains that are of several incarnations although their lines name none, or the same."""
    pieces, places = defaultdict[str, list[Piece]](list), dict[tuple[int, str], int]()
    keys = defaultdict[str, list[tuple[int, str]]](list)
    for number, (manifest, _) in enumerate(sealed):
        for key, part in manifest.chains.items():
            chain, told = ChainKey.parsed(key), part.told
            if told.ranges:
                found = pieces[chains.name(chain)]
                places[number, key] = len(found)
                keys[chains.name(chain)].append((number, key))
                times = (part.first_ns, part.last_ns)
                found.append(Piece(number, chain.incarnation, told.first, told.last, *times))
    compared = defaultdict[str, Comparison](Comparison)
    for record in _records(sealed, shared):
        key, height = record.place
        compared[chains.name(record.head.chain)].add(places[record.number, key], height, record.head.time_ns)
    renamed = defaultdict[int, dict[str, str]](dict)
    for name, found in pieces.items():
        chain_id = ChainKey.parsed(keys[name][0][1]).chain_id
        for (number, key), piece, incarnation in zip(
            keys[name], found, incarnations_of(chain_id, found, compared[name]), strict=True
        ):
            if incarnation != piece.incarnation:
                renamed[number][key] = str(ChainKey(chain_id, incarnation))
    return dict(renamed)


def _overlapping(manifests: Iterable[Manifest], chains: Incarnations) -> set[int]:
    """Return the segments that share a height with another one."""
    spans = defaultdict[str, list[tuple[int, int, int]]](list)
    for number, manifest in enumerate(manifests):
        for key, part in manifest.chains.items():
            name = chains.name(ChainKey.parsed(key))
            spans[name] += [(first, last, number) for first, last in part.told.ranges]
    found = set[int]()
    for ranges in spans.values():
        reach = (0, -1)  # highest height so far, and its segment
        for first, last, number in sorted(ranges):
            if first <= reach[0] and number != reach[1]:
                found |= {number, reach[1]}
            reach = max(reach, (last, number))
    return found


def _records(sealed: Sequence[Sealed], numbers: Iterable[int]) -> Iterator[_Record]:
    columns = ("chain", "height", "digest", "partial", "offset", "time_ns")
    for number in sorted(numbers):
        manifest, folder = sealed[number]
        if "blocks" not in manifest.files:
            continue
        with pq.ParquetFile(local(folder / manifest.files["blocks"].name)) as file:
            for batch in file.iter_batches(columns=list(columns)):
                for key, height, digest, partial, offset, time_ns in zip(
                    *(batch.column(name).to_pylist() for name in columns), strict=True
                ):
                    chain_id, incarnation = ChainKey.parsed(key)
                    head = LineHead(chain_id, height, digest, partial, incarnation, time_ns)
                    yield _Record(number, head, offset)
