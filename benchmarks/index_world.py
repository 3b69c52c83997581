"""Inputs of `bench_spark`: block lines like a host's exports, and sealed ranges like those of sealing."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.export import BlockExporter
from pyibc.indexer.rows import ROW_SCHEMA
from pyibc.indexer.segments.manifest import VERSION, ChainPart, Manifest, Source, write_manifest
from pyibc.indexer.segments.numbers import number_of
from pyibc.indexer.segments.shelf import SUFFIX
from pyibc.indexer.segments.writer import SegmentWriter

CHANNELS = 40
A_BLOCK = 50  # packets sent per block
A_FILE = 1000  # heights per file, as in exports
SENDER, RECEIVER = "a-1", "b-1"
STEPS = (
    ("send_packet", SENDER, 0),
    ("recv_packet", RECEIVER, 2),
    ("write_acknowledgement", RECEIVER, 2),
    ("acknowledge_packet", SENDER, 4),
)
SECOND = 10**9


def export_lines(folder: Path, heights: int, first: int = 1) -> int:
    """Export `heights` blocks of two chains from `first` on; return the number of packet events."""
    events = 0
    for chain in (SENDER, RECEIVER):
        with BlockExporter(folder / chain) as exporter:
            for height in range(first, first + heights):
                txs = tuple(_txs(chain, height))
                events += len(txs)
                exporter.write(CommittedBlock(chain, height, height * 6 * SECOND, b"", txs, ()))
    return events


def _txs(chain: str, height: int) -> Iterator[TxOutcome]:
    for kind, of, later in STEPS:
        if of == chain and height > later:
            for number in range((height - later - 1) * A_BLOCK, (height - later) * A_BLOCK):
                signer = ("tx", (("acc_seq", f"relayer{number % 5}/7"), ("fee", "100uatom")))
                about = ("message", (("action", "/ibc"), ("sender", "s"), ("module", "ibc_channel")))
                packet = (kind, tuple(_attributes(kind, number).items()))
                yield TxOutcome(b"t" * 300, 0, "", (signer, about, packet), 200_000, 100_000)


def _attributes(kind: str, number: int) -> dict[str, str]:
    data = f'{{"denom":"u{number % 7}","amount":"{number}","sender":"cosmos1s","receiver":"osmo1r"}}'
    found = {
        "packet_timeout_height": "1-5000000",
        "packet_timeout_timestamp": str(10**18 + number),
        "packet_sequence": str(number // CHANNELS + 1),
        "packet_src_port": "transfer",
        "packet_src_channel": f"channel-{number % CHANNELS}",
        "packet_dst_port": "transfer",
        "packet_dst_channel": f"channel-{number % CHANNELS + 100}",
        "packet_channel_ordering": "ORDER_UNORDERED",
        "connection_id": "connection-0",
    }
    if kind != "acknowledge_packet":
        found["packet_data_hex"] = data.encode().hex()
    if kind == "write_acknowledgement":
        found["packet_ack_hex"] = b'{"result":"AQ=="}'.hex()
    return found


def seal_ranges(inputs: Path, folder: Path, events: int) -> None:
    """Write the segments of `events` packet events, as if the files in `inputs` had been sealed.

    The files in `inputs` have only a beginning, with the right size and time, since they are not read again.
    """
    packets = np.arange(events // len(STEPS))
    for chain in (SENDER, RECEIVER):
        told = [_events(kind, packets, later) for kind, of, later in STEPS if of == chain]
        rows = pa.concat_tables(told).sort_by("height")
        files = pc.divide(pc.subtract(rows["height"], 1), A_FILE).to_numpy()
        edges = np.flatnonzero(np.diff(files, prepend=-1, append=files[-1] + 1))
        for first, last in pairwise(edges):
            name = inputs / chain / f"blocks-{files[first] * A_FILE + 1:012d}.jsonl"
            _seal(name, folder, chain, rows.slice(first, last - first))


def _seal(path: Path, folder: Path, chain: str, rows: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"pyibc1 ")
    stat, stem = path.stat(), f"{number_of(str(path)) & (1 << 64) - 1:016x}"
    heights = (rows["height"][0].as_py(), rows["height"][-1].as_py())
    with SegmentWriter(folder, stem) as writer:
        writer.add_table(rows.combine_chunks())
        files = writer.done()
    counts = {entry["values"]: entry["counts"] for entry in pc.value_counts(rows["type"]).to_pylist()}
    manifest = Manifest(
        version=VERSION,
        sources=[Source(str(path), 0, stat.st_size, stat.st_mtime_ns, 0, stem)],
        blocks=True,
        chains={chain: ChainPart((heights,), (), (), heights[1] * 6 * SECOND)},
        counts=counts,
        ends=writer.ends,
        told=[],
        names=writer.names,
        rows=len(rows),
        problems=[],
        files=files,
    )
    write_manifest(folder / (stem + SUFFIX), manifest)


def _events(kind: str, packets: np.ndarray, later: int) -> pa.Table:
    count = len(packets)
    height = packets // A_BLOCK + 1 + later
    chain = SENDER if later in {0, 4} else RECEIVER
    channel = packets % CHANNELS
    told = {
        "type": _same(kind, count),
        "chain": _same(chain, count),
        "height": pa.array(height),
        "time_ns": pa.array(height * 6 * SECOND),
        "tx_index": pa.array(packets % A_BLOCK).cast(pa.int32()),
        "event_index": _same(2, count),
        "protocol": _same(1, count),
        "src_port": _same("transfer", count),
        "dst_port": _same("transfer", count),
        "src_channel": _picked([f"channel-{n}" for n in range(CHANNELS)], channel),
        "dst_channel": _picked([f"channel-{n + 100}" for n in range(CHANNELS)], channel),
        "sequence": pa.array(packets // CHANNELS + 1),
        "timeout_revision": _same(1, count),
        "timeout_height": _same(5_000_000, count),
        "timeout_ns": pa.array(packets + 10**18),
        "ordering": _same("ORDER_UNORDERED", count),
        "connection": _same("connection-0", count),
    }
    if kind != "send_packet":
        told["relayer"] = _picked([f"relayer{n}" for n in range(5)], packets % 5)
    if kind != "acknowledge_packet":
        told["data_digest"] = pa.array(packets * 7919)
        told["denom"] = _picked([f"u{n}" for n in range(7)], channel % 7)
        told["amount"] = pc.cast(pa.array(packets), pa.string())
    if kind == "write_acknowledgement":
        told["ack"] = _same("success", count)
    columns = [told[f.name].cast(f.type) if f.name in told else pa.nulls(count, f.type) for f in ROW_SCHEMA]
    return pa.Table.from_arrays(columns, schema=ROW_SCHEMA)


def _same(value: object, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value), count)


def _picked(names: list[str], places: np.ndarray) -> pa.Array:
    return pa.array(names).take(pa.array(places))
