"""Heights that several files hold: the first record of a block counts, copies and contradictions do not.

Manifests tell by their ranges which files overlap; the blocks of those alone are read.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from ibc_indexer.errors import MalformedLine
from ibc_indexer.lines import LineHead
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.lines import Place, at, check_same
from ibc_indexer.segments.manifest import Manifest, heights


class Overlaps(NamedTuple):
    """What is left out of which file (by its place among those given), and what contradicts."""

    without: dict[int, frozenset[Place]]
    problems: list[Skipped]


def overlaps(sealed: Sequence[tuple[Manifest, Path]]) -> Overlaps:
    """Finds the blocks that several segments hold; of each the first segment's counts.

    Args:
        sealed: manifests of block lines, each with the folder of its files, in the order in which they count.
    """
    seen = dict[Place, LineHead]()
    without, problems = defaultdict[int, set[Place]](set), list[Skipped]()
    for number in sorted(_overlapping([manifest for manifest, _ in sealed])):
        manifest, folder = sealed[number]
        if "blocks" not in manifest.files:
            continue
        for head, offset in _blocks(folder / manifest.files["blocks"].name):
            place = (head.chain_id, head.height)
            before = seen.setdefault(place, head)
            if before is head:
                continue
            without[number].add(place)
            try:
                check_same(before, head)
            except MalformedLine as error:
                problems.append(Skipped(manifest.source.path, at(offset, error.reason)))
    return Overlaps({number: frozenset(places) for number, places in without.items()}, problems)


def _overlapping(manifests: Iterable[Manifest]) -> set[int]:
    """The segments that share a height with another one."""
    spans = defaultdict[str, list[tuple[int, int, int]]](list)
    for number, manifest in enumerate(manifests):
        for chain, part in manifest.chains.items():
            spans[chain] += [(first, last, number) for first, last in heights(part)]
    found = set[int]()
    for ranges in spans.values():
        reach = (0, -1)  # the highest height so far, and whose it is
        for first, last, number in sorted(ranges):
            if first <= reach[0]:
                found |= {number, reach[1]}
            reach = max(reach, (last, number))
    return found


def _blocks(path: Path) -> Iterable[tuple[LineHead, int]]:
    columns = ("chain", "height", "digest", "partial", "offset")
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=list(columns)):
            for *head, offset in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
                yield LineHead(*head), offset
