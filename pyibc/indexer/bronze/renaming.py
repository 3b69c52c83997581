"""Blocks under another incarnation than their lines name: the hashes of path ends change, too."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyibc.indexer.bronze.records import SCHEMA
from pyibc.indexer.ids import PATH, End
from pyibc.indexer.lineage.incarnations import ChainKey

RENAMED = "new_incarnation"
"""Column with the new incarnation of a block."""
_END = "end_id"  # end of the names of columns with the hash of an end
Hashes = dict[int, int]  # hash of an end by the one that it had


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
