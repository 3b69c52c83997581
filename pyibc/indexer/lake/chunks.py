"""Chunks of tables with the rows of segments: assignment of segments to chunks, and reuse of chunks."""

from collections.abc import Iterable, Iterator, Sequence

from pyibc.indexer.lake.gathering import gathered
from pyibc.indexer.lake.state import Chunk
from pyibc.indexer.segments.sealing import Segment

FULL = 1 << 20
"""Maximum weight of a chunk in events; a changed segment causes one chunk to be rewritten."""
MANY = 16
"""Number of small chunks above which some are merged."""


def kept_chunks(old: Sequence[Chunk], segments: Sequence[Segment]) -> list[Chunk]:
    """Return the reusable chunks: all their segments exist, and they contain no segment partially."""
    there = {atom for segment in segments for atom in segment.manifest.atoms}
    kept = [chunk for chunk in old if there.issuperset(chunk.atoms)]
    merged = _gathered(kept)
    kept = [chunk for chunk in kept if chunk not in merged]
    while torn := _torn(kept, segments):
        kept = [chunk for chunk in kept if torn.isdisjoint(chunk.atoms)]
    return kept


def chunked(kept: Iterable[Chunk], segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Group the segments outside of `kept` into new chunks."""
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
    """Return the atoms of segments that are partially contained in `chunks`."""
    held = {atom for chunk in chunks for atom in chunk.atoms}
    return {
        atom
        for segment in segments
        if not held.isdisjoint(segment.manifest.atoms) and not held.issuperset(segment.manifest.atoms)
        for atom in segment.manifest.atoms
    }


def _gathered(chunks: Iterable[Chunk]) -> list[Chunk]:
    return gathered((chunk for chunk in chunks if chunk.weight < FULL // 4), MANY, FULL)
