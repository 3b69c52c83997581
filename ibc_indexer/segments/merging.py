"""Small segments as one: a chain that is followed must not end with a million files.

Nothing is decoded again: rows are put together, manifests are added up. A merged segment has the sources of
its parts, so tables that were made of the parts stay as they are.
"""

from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ibc_indexer.coverage import Heights
from ibc_indexer.segments.manifest import VERSION, ChainPart, Manifest, SealedEnd, SealedFile
from ibc_indexer.segments.writer import ROW_GROUP, SCHEMAS, file_of, open_file
from ibc_indexer.storage.locations import Location, local

SMALL = 1 << 16
"""Weight below which a segment is small (`Manifest.weight`)."""
MANY = 16
"""Small segments in a row that are merged."""
FULL = 4 * SMALL
"""Weight that a merged segment is let grow to."""


class Held(NamedTuple):
    """A segment among others."""

    name: str
    manifest: Manifest


def groups(held: Sequence[Held], free: Container[str]) -> list[list[Held]]:
    """Which of these segments, in their order, are to be one; only those called in `free` may."""
    found, run = list[list[Held]](), list[Held]()
    for one in held:
        if one.manifest.weight < SMALL and one.manifest.blocks and one.name in free:
            run.append(one)
        else:
            found += _filled(run)
            run = []
    return found + _filled(run)


def _filled(run: Sequence[Held]) -> list[list[Held]]:
    if len(run) < MANY:
        return []
    found, weight = [list[Held]()], 0
    for one in run:
        if weight + one.manifest.weight > FULL and found[-1]:
            found.append([])
            weight = 0
        found[-1].append(one)
        weight += one.manifest.weight
    return [group for group in found if len(group) > 1]


def merge(manifests: Sequence[Manifest], folder: Location, here: Path, stem: str) -> Manifest:
    """Writes into `here` the files of one segment for several, and not its manifest; theirs are in `folder`.

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
    if role == "names":  # each once, in order
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
            max((part.time_ns for part in parts if part.time_ns is not None), default=None),
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
