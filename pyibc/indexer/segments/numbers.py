"""Numeric columns of packet events, computed at sealing, so that aggregations compare only numbers.

Names (relayers, denoms, error texts, long amounts) are replaced by 64 bits of their BLAKE2b hash; a
dictionary in the segment maps hashes to names. Path ends (one chain's side of a path) are hashed, too.
Amounts become two numbers of 18 digits each; longer ones, which are rare, are stored as names. Engines do not
hash anything.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyibc.indexer.packet_facts import ACK, RECV, SEND, TIMEOUT, WRITE_ACK
from pyibc.indexer.rows import ROW_SCHEMA

KINDS = (SEND, RECV, WRITE_ACK, ACK, TIMEOUT)  # the number of a kind is its index
RECEIVING = (RECV, WRITE_ACK)
ACK_STATES = (
    "opaque",
    "success",
    "error",
)  # the number of a state is its index plus one; the maximum is used
LIMB = 18  # digits per number
NAMES = ("relayer", "denom", "detail", "big_amount", "sender", "receiver", "memo")
"""Fields of the dictionary."""
TX_LIMBS = ("tx_0", "tx_1", "tx_2", "tx_3")  # transaction hash, 16 hex digits each
BAND_BITS = 10
"""Low bits in which the sequences of one bucket differ; tables are updated by sequence buckets."""
PATH = ("protocol", "src_port", "src_channel", "dst_port", "dst_channel")

_NUMBERS = pa.schema(
    [
        ("kind", pa.int8()),
        ("end_id", pa.int64()),
        ("place", pa.int64()),
        ("relayer_id", pa.int64()),
        ("denom_id", pa.int64()),
        ("amount_low", pa.int64()),
        ("amount_high", pa.int64()),
        ("big_amount_id", pa.int64()),
        ("ack_state", pa.int8()),
        ("detail_id", pa.int64()),
        ("sender_id", pa.int64()),
        ("receiver_id", pa.int64()),
        ("memo_id", pa.int64()),
        *((limb, pa.int64()) for limb in TX_LIMBS),
    ]
)
EVENT_SCHEMA = pa.schema([*ROW_SCHEMA, *_NUMBERS])
"""Columns of the events in a segment: those of the data source `ibc`, and their numbers."""

NAME_SCHEMA = pa.schema([("field", pa.string()), ("id", pa.int64()), ("name", pa.string())])
_MAX_HEIGHT, _MAX_INDEX = (1 << 43) - 1, (1 << 20) - 1


class End(NamedTuple):
    """Path end: one chain's side of a path, sending or receiving."""

    chain: str
    receiving: bool
    protocol: int
    src_port: str | None
    src_channel: str | None
    dst_port: str | None
    dst_channel: str | None

    @property
    def number(self) -> int:
        """Hash of the end, 64 bits."""
        return number_of(*("\1" + str(part) if part is not None else "" for part in self))


class Numbered(NamedTuple):
    """Batch of packet events with their numeric columns."""

    events: pa.Table  # of EVENT_SCHEMA
    ends: dict[End, int]  # number of events by end
    bands: dict[End, list[int]]  # sequence buckets by end
    names: dict[tuple[str, str], int]  # (field, name) -> hash


def number_of(*texts: str) -> int:
    """Return a 64-bit hash of `texts`; each text is prefixed by its length, so that lists are unambiguous."""
    digest = blake2b(digest_size=8)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(4, "big") + data)
    return int.from_bytes(digest.digest(), "big", signed=True)


def numbered(events: pa.Table) -> Numbered:
    """Add the numeric columns to `events`, a table of `ROW_SCHEMA` with packet events only."""
    ends, bands, end_ids = _ends(events)
    names = dict[tuple[str, str], int]()
    digits = pc.utf8_length(events["amount"])
    small, one = pc.less_equal(digits, 2 * LIMB), pc.less_equal(digits, LIMB)
    amount = pc.if_else(small, events["amount"], None)
    low = pc.utf8_slice_codeunits(amount, -LIMB, None)
    high = pc.if_else(one, "0", pc.utf8_slice_codeunits(amount, 0, -LIMB))
    failed = pc.equal(events["ack"], "error")
    columns = {
        "kind": pc.index_in(events["type"], pa.array(KINDS)).cast(pa.int8()),
        "end_id": end_ids,
        "place": _place(events),
        "relayer_id": _ids(events["relayer"], "relayer", names),
        "denom_id": _ids(events["denom"], "denom", names),
        "amount_low": low.cast(pa.int64()),
        "amount_high": high.cast(pa.int64()),
        "big_amount_id": _ids(pc.if_else(small, None, events["amount"]), "big_amount", names),
        "ack_state": pc.add(pc.index_in(events["ack"], pa.array(ACK_STATES)), 1).cast(pa.int8()),
        "detail_id": _ids(pc.if_else(failed, events["detail"], None), "detail", names),
        **{f"{field}_id": _ids(events[field], field, names) for field in ("sender", "receiver", "memo")},
        **dict(zip(TX_LIMBS, _limbs(events["tx_hash"]), strict=True)),
    }
    whole = [*events.columns, *(columns[field.name].cast(field.type) for field in _NUMBERS)]
    return Numbered(pa.Table.from_arrays(whole, schema=EVENT_SCHEMA), ends, bands, names)


def name_rows(names: Iterable[tuple[tuple[str, str], int]]) -> pa.Table:
    """Convert the dictionary to a sorted table of `NAME_SCHEMA`."""
    rows = sorted((field, number, name) for (field, name), number in names)
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    arrays = [pa.array(c, f.type) for c, f in zip(columns, NAME_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=NAME_SCHEMA)


def _ids(column: pa.ChunkedArray, field: str, names: dict[tuple[str, str], int]) -> pa.Array:
    encoded = _combined(column).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    numbers = [number_of(text) for text in texts]
    names.update(((field, text), number) for text, number in zip(texts, numbers, strict=True))
    return pa.array(numbers, pa.int64()).take(encoded.indices)


def _limbs(hashes: pa.ChunkedArray) -> list[pa.Array]:
    """Split each hash into four numbers; null unless it has 64 hex digits."""
    known = pc.fill_null(pc.match_substring_regex(hashes, r"\A[0-9A-F]{64}\z"), False)
    digits = pc.if_else(known, hashes, "0" * 64)
    octets = bytes.fromhex("".join(_combined(digits).to_pylist()))
    numbers = np.frombuffer(octets, ">i8").astype(np.int64).reshape(-1, len(TX_LIMBS))
    return [pc.if_else(known, pa.array(limb), None) for limb in numbers.T]


def _ends(events: pa.Table) -> tuple[dict[End, int], dict[End, list[int]], pa.Array]:
    """Return the number of events and the buckets of every end, and the end's number for each event."""
    receiving = pc.is_in(events["type"], pa.array(RECEIVING))
    columns = [events["chain"], receiving, *(events[name] for name in PATH)]
    codes = np.zeros(len(events), np.int64)
    for column in columns:  # codes are compacted after each column, so that no product overflows
        encoded = _combined(column).dictionary_encode(null_encoding="encode")
        codes = codes * max(1, len(encoded.dictionary)) + encoded.indices.to_numpy(zero_copy_only=False)
        codes = pa.array(codes).dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    _, firsts, counts = np.unique(codes, return_index=True, return_counts=True)
    shown = [column.take(pa.array(firsts)).to_pylist() for column in columns]
    ends = [End(*values) for values in zip(*shown, strict=True)]
    numbers = pa.array([end.number for end in ends], pa.int64())
    bands = dict[End, list[int]](zip(ends, ([] for _ in ends), strict=True))
    for code, band in _pairs(codes, events["sequence"].to_numpy() >> BAND_BITS):
        bands[ends[code]].append(band)
    return dict(zip(ends, counts.tolist(), strict=True)), bands, numbers.take(pa.array(codes))


def _pairs(codes: np.ndarray, bands: np.ndarray) -> Iterable[tuple[int, int]]:
    """Return the distinct pairs of code and bucket."""
    found = pa.table({"code": codes, "band": bands}).group_by(["code", "band"]).aggregate([])
    return zip(found["code"].to_pylist(), found["band"].to_pylist(), strict=True)


def _place(events: pa.Table) -> pa.ChunkedArray:
    """Return sort keys by height and transaction; heights from 2^43 and indices from 2^20 are clamped."""
    index = pc.add(pc.fill_null(events["tx_index"], -1).cast(pa.int64()), 1)
    clipped: Any = pc.min_element_wise(index, pa.scalar(_MAX_INDEX, pa.int64()))
    height: Any = pc.min_element_wise(events["height"], pa.scalar(_MAX_HEIGHT, pa.int64()))
    return pc.bit_wise_or(pc.shift_left(height, pa.scalar(20, pa.int64())), clipped)


def _combined(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
