"""Heights that several files hold: the first whole record of a block counts, no copy, no contradiction.

Manifests tell by their ranges which files overlap; the blocks of those alone are read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow.parquet as pq

from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.lines import LineHead
from ibc_indexer.scan import Problems, Skipped
from ibc_indexer.segments.lines import Place, contradiction
from ibc_indexer.segments.manifest import Manifest
from ibc_indexer.storage.locations import Location, local

Sealed = tuple[Manifest, Location]  # and the folder of its files


class Overlaps(NamedTuple):
    """What is left out of which file (by its place among those given), and what contradicts."""

    shared: set[int]  # those that hold a height of another one
    without: dict[int, frozenset[Place]]
    problems: list[Skipped]


class _Record(NamedTuple):
    """A block in one of the files."""

    number: int
    head: LineHead
    offset: int

    @property
    def place(self) -> Place:
        """As its segment names it."""
        return str(self.head.chain), self.head.height


def overlaps(sealed: Sequence[Sealed], chains: Incarnations) -> Overlaps:
    """Finds the blocks that several segments hold; of each the first segment's whole record counts.

    Args:
        sealed: manifests of block lines, in the order in which they count.
        chains: what their chains are.
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
    """The segments that share a height with another one."""
    spans = defaultdict[str, list[tuple[int, int, int]]](list)
    for number, manifest in enumerate(manifests):
        for key, part in manifest.chains.items():
            name = chains.name(ChainKey.parsed(key))
            spans[name] += [(first, last, number) for first, last in part.told.ranges]
    found = set[int]()
    for ranges in spans.values():
        reach = (0, -1)  # the highest height so far, and whose it is
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
