"""Chains that began anew under their id, in blocks that do not name their incarnation.

The pieces of a batch (`pieces`) are compared with each other and with the incarnations in the tables, at
their common heights and by their times (`pyibc/indexer/chains/restarts.py`). A piece of another chain gets
an incarnation of its own, so the hashes of its path ends change, too; what is in the tables keeps its name.
Only chain ids with a sign of a second chain are compared: heights that are told twice, times that go back,
blocks with and without an incarnation.

The decisions about a batch are stored before its blocks, so that the batch is repeated with the same ones.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from functools import reduce
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import NONE, Heights, Range
from pyibc.indexer.bronze.records import SCHEMA
from pyibc.indexer.chains.restarts import (
    BY_TIMES,
    SECOND_NS,
    VARIANTS,
    Comparison,
    Known,
    Pair,
    Piece,
    joined_incarnations,
)
from pyibc.indexer.events.packet_facts import PATH, End
from pyibc.indexer.pipeline.lake import Batch, Lake, rows_in
from pyibc.indexer.pipeline.pieces import SPAN, Found, Place, joined, pieces_in, spans
from pyibc.indexer.pipeline.silver import Overview, tells_twice
from pyibc.indexer.pipeline.state import State, Times
from pyibc.indexer.pipeline.tables import BLOCKS, INCARNATIONS
from pyibc.indexer.sql import Columns

RENAMED = "new_incarnation"
"""Column with the new incarnation of a block."""
_END = "end_id"  # end of the names of columns with the hash of an end
Hashes = dict[int, int]  # hash of an end by the one that it had


def whole_seconds(rows: str) -> str:
    """Build the expression for the time of a block in whole seconds, as unix nanoseconds."""
    return f"({rows}.time_ns - {rows}.time_ns % {SECOND_NS})"


_COMPARED = f"""
WITH heads AS (
  SELECT blocks.chain, blocks.height, {whole_seconds("blocks")} AS time_ns, pieces.piece
  FROM {joined("batch_given", "batch_pieces")}
  WHERE digest IS NOT NULL AND blocks.time_ns IS NOT NULL
), told AS (
  SELECT DISTINCT * FROM heads
  UNION ALL
  SELECT DISTINCT old.chain, old.height, {whole_seconds("old")} AS time_ns, known.piece FROM {{blocks}} AS old
  JOIN known_chains AS known ON old.chain = known.chain AND coalesce(old.incarnation, '') = known.incarnation
  SEMI JOIN heads ON old.chain = heads.chain AND old.height = heads.height
  WHERE old.batch <> '{{batch}}' AND old.chain IN ({{chains}}) AND old.time_ns IS NOT NULL
    AND old.height BETWEEN {{first}} AND {{last}}
), variants AS (
  SELECT *, row_number() OVER (PARTITION BY chain, height ORDER BY piece) AS number
  FROM (SELECT chain, height, time_ns, min(piece) AS piece FROM told GROUP BY chain, height, time_ns) AS every
)
SELECT told.chain, variants.piece AS one, told.piece AS other,
  count_if(variants.time_ns = told.time_ns) AS agreeing,
  count_if(variants.time_ns <> told.time_ns) AS differing
FROM told JOIN variants ON told.chain = variants.chain AND told.height = variants.height
WHERE variants.number <= {VARIANTS} AND variants.piece < told.piece AND told.piece >= 0
GROUP BY told.chain, variants.piece, told.piece
"""
_OF_FILES = """
SELECT old.chain, files.piece, max_by(coalesce(old.incarnation, ''), old.byte_offset) AS incarnation
FROM {blocks} AS old JOIN growing_files AS files ON old.chain = files.chain AND old.file = files.file
WHERE old.batch <> '{batch}' AND old.chain IN ({chains})
GROUP BY old.chain, files.piece
"""
_COLUMNS = ", ".join(SCHEMA.names)
_RENAMED = f"""
SELECT blocks.*, nullif(pieces.name, '') AS {RENAMED} FROM {joined("batch_given", "batch_names")}
"""
_OTHERS = f"""
SELECT {_COLUMNS} FROM {joined("batch_given", "batch_names", "ANTI JOIN")}
UNION ALL SELECT {_COLUMNS} FROM batch_renamed
"""
_FILES: Columns = (("chain", "string"), ("file", "string"), ("piece", "bigint"))

Names = dict[Place, str]


def renamed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield blocks with the incarnations in their column `RENAMED`, without that column."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        chains = table.group_by(["chain", RENAMED], use_threads=False).aggregate([])
        for chain, incarnation in zip(
            *(chains[name].to_pylist() for name in ("chain", RENAMED)), strict=True
        ):
            same = pc.equal(table["chain"], chain)
            named = table[RENAMED]
            same = pc.and_(same, named.is_null() if incarnation is None else pc.equal(named, incarnation))
            rows = table.filter(pc.fill_null(same, False)).combine_chunks()
            yield from _of_chain(rows, ChainKey(chain, incarnation or "")).to_batches()


def _of_chain(rows: pa.Table, key: ChainKey) -> pa.Table:
    columns = {name: rows[name].combine_chunks() for name in SCHEMA.names}
    columns["incarnation"] = pa.array([key.incarnation or None] * len(rows), pa.string())
    hashes = _hashes(_items(columns["events"]), str(key))
    arrays = [_with_hashes(_one(columns[field.name]).cast(field.type), hashes) for field in SCHEMA]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _hashes(events: pa.StructArray, chain: str) -> Hashes:
    """Return the hashes of the ends in packet events as ends of a chain."""
    old, places = np.unique(events.field(_END).to_numpy(zero_copy_only=False), return_index=True)
    some = events.take(pa.array(places))
    paths = zip(*(some.field(name).to_pylist() for name in ("receiving", *PATH)), strict=True)
    new = (End(chain, receiving, protocol or 0, *path).number for receiving, protocol, *path in paths)
    return dict(zip(old.tolist(), new, strict=True))


def _with_hashes(array: pa.Array, hashes: Hashes) -> pa.Array:
    if not (pa.types.is_list(array.type) and pa.types.is_struct(array.type.value_type)):
        return array
    of, items = array.type.value_type, _items(array)
    if not any(field.name.endswith(_END) for field in of):
        return array
    fields = [
        _changed(items.field(field.name), hashes) if field.name.endswith(_END) else items.field(field.name)
        for field in of
    ]
    offsets = np.concatenate([[0], np.cumsum(pc.fill_null(array.value_lengths(), 0).to_numpy())])
    struct = pa.StructArray.from_arrays(fields, fields=list(of))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), struct, type=array.type)


def _changed(column: pa.Array, hashes: Hashes) -> pa.Array:
    return pa.array([hashes[number] for number in column.to_pylist()], pa.int64())


def _items(array: Any) -> pa.StructArray:
    return _one(array).flatten()


def _one(array: Any) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


class _Doubts(NamedTuple):
    """Chain ids of a batch of which there may be several chains."""

    ids: set[str]
    several: set[str]  # those with several incarnations, known or new
    shared: set[str]  # those with heights that are told more than once
    first: int  # lowest and highest height of the batch
    last: int


@contextmanager
def told_apart(lake: Lake, state: State, seen: Overview, batch: Batch) -> Iterator[bool]:
    """Change the view `batch_read` to the blocks of the batch with the incarnations that they are of.

    Return whether any is another one than in the view `batch_given`, which has the blocks as they are read.
    """
    doubts = _doubts(state, seen)
    names = _names(lake, state, doubts, batch) if doubts.ids else {}
    changed = [(*span, names[place]) for place, span in spans(names) if names[place] != place.told]
    with ExitStack() as kept:
        if changed:
            lake.table("batch_names", (*SPAN, ("name", "string")), changed)
            kept.enter_context(lake.mapped("batch_renamed", _RENAMED, renamed, SCHEMA))
            lake.view("batch_read", _OTHERS)
        yield bool(changed)


def _doubts(state: State, seen: Overview) -> _Doubts:
    every = seen.by_chain()
    rows, known = defaultdict[str, list[Any]](list), defaultdict[str, dict[str, Heights]](dict)
    for key, some in every.items():
        rows[key.chain_id] += some
    for (key, whole), heights in state.ranges.items():
        if whole is not None:
            of_id = known[key.chain_id]
            of_id[key.incarnation] = of_id.get(key.incarnation, NONE) | heights
    ids, several, shared = set[str](), set[str](), set[str]()
    for chain, some in rows.items():
        old = known[chain]
        new = {row.incarnation or "" for row in some}
        if len(new | old.keys()) > 1 and ("" in new or (old and new - old.keys())):
            several.add(chain)
            if tells_twice(some, reduce(Heights.__or__, old.values(), NONE)):
                shared.add(chain)
    for key, some in every.items():
        heights = known[key.chain_id].get(key.incarnation, NONE)
        if tells_twice(some, heights):
            shared.add(key.chain_id)
        elif _is_inverted(some, state.timed.get(key), state.times.get(key, (None, None))):
            ids.add(key.chain_id)
    bounds = [(row.first, row.last) for some in rows.values() for row in some] or [(0, 0)]
    first, last = min(first for first, _ in bounds), max(last for _, last in bounds)
    return _Doubts(ids | several | shared, several, shared, first, last)


def _is_inverted(rows: Sequence[Any], timed: Range | None, times: Times) -> bool:
    """Return whether lower heights may have later times, in the batch or between it and the tables.

    `timed` are the lowest and highest height of the blocks in the tables that have times.
    """
    if any(row.backwards for row in rows):
        return True
    if timed is None:
        return _are_inverted(rows)
    old = Known("", frozenset(), *timed, *times)
    return _are_inverted(rows) or any(old.excludes(_piece(row)) for row in rows)


def _are_inverted(rows: Iterable[Any]) -> bool:
    """Return whether of two ranges the one with the lower heights has the later times."""
    latest = -1
    for row in sorted(rows, key=lambda row: int(row.first)):
        if row.last_ns is not None and row.last_ns < latest:
            return True
        latest = max(latest, row.first_ns or 0)
    return False


def _piece(row: Any) -> Piece:
    return Piece(0, "", row.first, row.last, row.first_ns, row.last_ns)


def _names(lake: Lake, state: State, doubts: _Doubts, batch: Batch) -> Names:
    """Return the incarnations of the pieces of chains, and store them if another attempt may find others."""
    lake.prepare([INCARNATIONS])
    stored = rows_in(lake, INCARNATIONS)
    decided = {_place(row): row.incarnation for row in stored if row.batch == batch.name}
    if decided:
        return decided
    pieces = pieces_in(lake, doubts.ids)
    known = _known(state, doubts.ids, stored)
    numbers = {one.place: number for number, one in enumerate(pieces)}
    numbered = [(*span, numbers[place]) for place, span in spans(numbers)]
    lake.table("batch_pieces", (*SPAN, ("piece", "bigint")), numbered)
    compared = _compared(lake, doubts, batch, known)
    continuing = _continuing(lake, doubts, batch, pieces, known)
    of_chain, known_of = defaultdict[str, dict[int, Piece]](dict), defaultdict[str, dict[int, Known]](dict)
    for number, one in enumerate(pieces):
        of_chain[one.place.chain][number] = one.piece
    for number, (chain, chain_known) in known.items():
        known_of[chain][number] = chain_known
    names, is_certain = Names(), True
    for chain, some in of_chain.items():
        found = joined_incarnations(chain, known_of[chain], some, compared[chain], continuing[chain])
        names |= {pieces[number].place: name for number, name in found.items()}
        is_certain &= not compared[chain].differs and chain not in doubts.several
    if not is_certain or any(name != place.told for place, name in names.items()):
        _store(lake, stored, names, batch)
    return names


def _place(row: Any) -> Place:
    place = Place(row.chain, row.told, row.file)
    return place if row.since_ns is None else place._replace(since_ns=row.since_ns)


def _listed(lake: Lake, chains: Iterable[str]) -> str:
    return ", ".join(map(lake.text, sorted(chains))) or "NULL"


def _known(state: State, ids: Set[str], stored: Iterable[Any]) -> dict[int, tuple[str, Known]]:
    """Return the chains in the tables with their ids, by number."""
    heights, told = defaultdict[ChainKey, Heights](lambda: NONE), defaultdict[ChainKey, set[str]](set)
    for (key, whole), some in state.ranges.items():
        if key.chain_id in ids and whole is not None:
            heights[key] |= some
            told[key] |= set() if key.incarnation.startswith(BY_TIMES) else {key.incarnation} - {""}
    for row in stored:
        told[ChainKey(row.chain, row.incarnation)] |= {row.told} - {""}
    found = dict[int, tuple[str, Known]]()
    for number, (key, some) in enumerate(sorted(heights.items(), key=itemgetter(0)), 1):
        span = (*state.timed.get(key, (some.first, some.last)), *state.times.get(key, (None, None)))
        found[-number] = (key.chain_id, Known(key.incarnation, frozenset(told[key]), *span))
    return found


def _compared(
    lake: Lake, doubts: _Doubts, batch: Batch, known: Mapping[int, tuple[str, Known]]
) -> Mapping[str, Comparison]:
    """Compare the pieces with each other and with the tables, by chain id."""
    found = defaultdict[str, Comparison](Comparison)
    if not doubts.shared:
        return found
    columns = (("chain", "string"), ("incarnation", "string"), ("piece", "bigint"))
    lake.table("known_chains", columns, [(chain, one.name, number) for number, (chain, one) in known.items()])
    chains, blocks = _listed(lake, doubts.shared), lake.at(BLOCKS)
    query = _COMPARED.format(
        blocks=blocks, batch=batch.name, chains=chains, first=doubts.first, last=doubts.last
    )
    for row in lake.rows(query):
        found[row.chain].count((row.one, row.other), row.agreeing, row.differing)
    return found


def _continuing(
    lake: Lake, doubts: _Doubts, batch: Batch, pieces: Sequence[Found], known: Mapping[int, tuple[str, Known]]
) -> Mapping[str, list[Pair]]:
    """Return the pieces of files that have grown, with the chains of what was read of these files last."""
    found = defaultdict[str, list[Pair]](list)
    places = {(chain, one.name): number for number, (chain, one) in known.items()}
    growing = [
        (one.place.chain, one.place.file, number)
        for number, one in enumerate(pieces)
        if one.goes_on and one.place.chain in doubts.several
    ]
    if not growing:
        return found
    lake.table("growing_files", _FILES, growing)
    chains = _listed(lake, {chain for chain, *_ in growing})
    for row in lake.rows(_OF_FILES.format(blocks=lake.at(BLOCKS), batch=batch.name, chains=chains)):
        found[row.chain].append((places[row.chain, row.incarnation], row.piece))
    return found


def _store(lake: Lake, stored: Iterable[Any], names: Names, batch: Batch) -> None:
    """Store the decisions about a batch, instead of those about the batch before, and who names what."""
    pairs = {(row.chain, row.told, row.incarnation) for row in stored}
    pairs |= {(place.chain, place.told, name) for place, name in names.items()}
    kept = sorted(pair for pair in pairs if pair[1] not in {"", pair[2]})
    rows = [(chain, told, None, None, name, "") for chain, told, name in kept]
    lake.replace(INCARNATIONS, rows + [(*place, name, batch.name) for place, name in sorted(names.items())])
