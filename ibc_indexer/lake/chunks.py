"""Tables whose rows are those of segments: which segments are copied together, and which copies stay."""

from collections.abc import Iterable, Iterator, Sequence

from ibc_indexer.lake.gathering import gathered
from ibc_indexer.lake.state import Chunk
from ibc_indexer.segments.sealing import Segment

FULL = 1 << 20
"""Weight of a chunk: a segment that changes costs the copying of one."""
MANY = 16
"""Small chunks that are let be."""


def kept_chunks(old: Sequence[Chunk], segments: Sequence[Segment]) -> list[Chunk]:
    """The chunks that stay: all their segments are there, and no segment is in them in part."""
    there = {atom for segment in segments for atom in segment.manifest.atoms}
    kept = [chunk for chunk in old if there.issuperset(chunk.atoms)]
    merged = _gathered(kept)
    kept = [chunk for chunk in kept if chunk not in merged]
    while torn := _torn(kept, segments):
        kept = [chunk for chunk in kept if torn.isdisjoint(chunk.atoms)]
    return kept


def chunked(kept: Iterable[Chunk], segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """The other segments, as new chunks."""
    held = {atom for chunk in kept for atom in chunk.atoms}
    found, weight = list[Segment](), 0
    for segment in segments:
        if not held.isdisjoint(segment.manifest.atoms):
            continue
        if found and weight + segment.manifest.weight > FULL:
            yield found
            found, weight = [], 0
        found.append(segment)
        weight += segment.manifest.weight
    if found:
        yield found


def _torn(chunks: Iterable[Chunk], segments: Iterable[Segment]) -> set[str]:
    """The atoms of segments of which a part is in these chunks."""
    held = {atom for chunk in chunks for atom in chunk.atoms}
    return {
        atom
        for segment in segments
        if not held.isdisjoint(segment.manifest.atoms) and not held.issuperset(segment.manifest.atoms)
        for atom in segment.manifest.atoms
    }


def _gathered(chunks: Iterable[Chunk]) -> list[Chunk]:
    return gathered((chunk for chunk in chunks if chunk.weight < FULL // 4), MANY, FULL)
