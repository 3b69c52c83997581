"""Merging of small segments, which bounds the number of files of a growing chain.

Lines are not decoded again: rows are concatenated and manifests combined. A merged segment has the sources of
the original ones, so tables made from these stay valid.
"""

from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pyibc.indexer.coverage import Heights
from pyibc.indexer.segments.manifest import VERSION, ChainPart, Manifest, SealedEnd, SealedFile
from pyibc.indexer.segments.writer import ROW_GROUP, SCHEMAS, file_of, open_file
from pyibc.indexer.storage.locations import Location, local

SMALL = 1 << 16
"""Weight below which a segment is small (`Manifest.weight`)."""
MANY = 16
"""Number of consecutive small segments from which they are merged."""
FULL = 4 * SMALL
"""Maximum weight of a merged segment."""


class NamedSegment(NamedTuple):
    """Manifest of a segment with its name."""

    name: str
    manifest: Manifest


def groups(segments: Sequence[NamedSegment], free: Container[str]) -> list[list[NamedSegment]]:
    """Select the groups of consecutive segments to merge; only segments with names in `free` are eligible."""
    found, run = list[list[NamedSegment]](), list[NamedSegment]()
    for one in segments:
        if one.manifest.weight < SMALL and one.manifest.blocks and one.name in free:
            run.append(one)
        else:
            found += _filled(run)
            run = []
    return found + _filled(run)


def _filled(run: Sequence[NamedSegment]) -> list[list[NamedSegment]]:
    if len(run) < MANY:
        return []
    found, weight = [list[NamedSegment]()], 0
    for one in run:
        if weight + one.manifest.weight > FULL and found[-1]:
            found.append([])
            weight = 0
        found[-1].append(one)
        weight += one.manifest.weight
    return [group for group in found if len(group) > 1]


def merge(manifests: Sequence[Manifest], folder: Location, here: Path, stem: str) -> Manifest:
    """Write the files of the merged segment into `here`, without its manifest; the originals are in `folder`.

    Raises:
        OSError: a file cannot be read or written.
    """
    files = dict[str, SealedFile]()
    names = 0
    for role in SCHEMAS:
        rows = _rows(manifests, folder, role)
        if rows is None:
            continue
        with open_file(here, stem, role) as writer:
            writer.write_table(rows, row_group_size=ROW_GROUP)
        files[role] = file_of(here, stem, role)
        names = len(rows) if role == "names" else names
    return Manifest(
        version=VERSION,
        sources=[source for one in manifests for source in one.sources],
        blocks=True,
        chains=_chains(manifests),
        counts=dict(sorted(sum((Counter(one.counts) for one in manifests), Counter[str]()).items())),
        ends=_ends(manifests),
        told=[fact for one in manifests for fact in one.told],
        names=names,
        rows=sum(one.rows for one in manifests),
        problems=[problem for one in manifests for problem in one.problems],
        files=files,
    )


def _rows(manifests: Sequence[Manifest], folder: Location, role: str) -> pa.Table | None:
    found = [pq.read_table(local(folder / one.files[role].name)) for one in manifests if role in one.files]
    if not found:
        return None
    rows = pa.concat_tables(found)
    if role == "names":  # distinct and sorted
        columns = rows.schema.names
        rows = rows.group_by(columns).aggregate([]).sort_by([(name, "ascending") for name in columns])
    return rows


def _chains(manifests: Sequence[Manifest]) -> dict[str, ChainPart]:
    found = dict[str, list[ChainPart]]()
    for one in manifests:
        for chain, part in one.chains.items():
            found.setdefault(chain, []).append(part)
    return {
        chain: ChainPart(
            Heights.spanning(each for part in parts for each in part.known).ranges,
            Heights.spanning(each for part in parts for each in part.part).ranges,
            Heights.spanning(each for part in parts for each in part.lost).ranges,
            min((part.first_ns for part in parts if part.first_ns is not None), default=None),
            max((part.last_ns for part in parts if part.last_ns is not None), default=None),
        )
        for chain, parts in sorted(found.items())
    }


def _ends(manifests: Sequence[Manifest]) -> list[SealedEnd]:
    found = dict[SealedEnd, list[SealedEnd]]()
    for one in manifests:
        for sealed in one.ends:
            found.setdefault(SealedEnd(sealed.end, sealed.number, 0, ()), []).append(sealed)
    return [
        SealedEnd(
            key.end,
            key.number,
            sum(sealed.events for sealed in parts),
            Heights.spanning(each for sealed in parts for each in sealed.bands).ranges,
        )
        for key, parts in sorted(found.items(), key=lambda item: item[0].number)
    ]
