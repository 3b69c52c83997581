"""Inputs of `bench_pipeline`: block lines like a host's exports."""

from collections.abc import Iterator
from pathlib import Path

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.export import BlockExporter

CHANNELS = 40
A_BLOCK = 50  # packets sent per block
SENDER, RECEIVER = "a-1", "b-1"
STEPS = (
    ("send_packet", SENDER, 0),
    ("recv_packet", RECEIVER, 2),
    ("write_acknowledgement", RECEIVER, 2),
    ("acknowledge_packet", SENDER, 4),
)
SECOND = 10**9


def export_lines(folder: Path, heights: int, first: int = 1) -> int:
    """Export blocks of two chains, `heights` from `first` on, and return the number of packet events.

    If the folder has an export, it must end below `first`, and is continued.
    """
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
