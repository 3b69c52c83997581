"""Resolution of heights that are in several files: the first complete record of a block is used.

Overlapping files are found by the ranges in their manifests; only the blocks of these files are read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow.parquet as pq

from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.lines import LineHead
from pyibc.indexer.scan import Problems, Skipped
from pyibc.indexer.segments.lines import Place, contradiction
from pyibc.indexer.segments.manifest import Manifest
from pyibc.indexer.storage.locations import Location, local

Sealed = tuple[Manifest, Location]  # and the folder of its files


class Overlaps(NamedTuple):
    """Blocks to leave out by file (by its index), and contradictions."""

    shared: set[int]  # files with a height that is in another file, too
    without: dict[int, frozenset[Place]]
    problems: list[Skipped]


class _Record(NamedTuple):
    """Record of a block in one of the files."""

    number: int
    head: LineHead
    offset: int

    @property
    def place(self) -> Place:
        """Chain and height, as in the segment."""
        return str(self.head.chain), self.head.height


def overlaps(sealed: Sequence[Sealed], chains: Incarnations) -> Overlaps:
    """Find the blocks that are in several segments, and decide which record of each is used.

    Args:
        sealed: manifests of block lines in the order of precedence.
        chains: incarnations of their chains.
    """
    found = _overlapping([manifest for manifest, _ in sealed], chains)
    shared = sorted(found)
    best = dict[Place, _Record]()
    for record in _records(sealed, shared):
        before = best.setdefault((chains.name(record.head.chain), record.head.height), record)
        if before.head.partial and not record.head.partial:
            best[chains.name(record.head.chain), record.head.height] = record
    without, problems = defaultdict[int, set[Place]](set), Problems()
    for record in _records(sealed, shared):
        chosen = best[chains.name(record.head.chain), record.head.height]
        if chosen.number == record.number:
            continue
        without[record.number].add(record.place)
        if reason := contradiction(chosen.head, record.head):
            problems.add(sealed[record.number][0].sources[0].path, record.offset, reason)
    return Overlaps(found, {number: frozenset(places) for number, places in without.items()}, problems.all())


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
    columns = ("chain", "height", "digest", "partial", "offset")
    for number in numbers:
        manifest, folder = sealed[number]
        if "blocks" not in manifest.files:
            continue
        with pq.ParquetFile(local(folder / manifest.files["blocks"].name)) as file:
            for batch in file.iter_batches(columns=list(columns)):
                for key, height, digest, partial, offset in zip(
                    *(batch.column(name).to_pylist() for name in columns), strict=True
                ):
                    chain_id, incarnation = ChainKey.parsed(key)
                    yield _Record(number, LineHead(chain_id, height, digest, partial, incarnation), offset)
