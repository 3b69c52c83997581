"""Benchmark: our relayer's daemon and `hermes start` between two ibc-go chains, in turns on the same chains.

    python -m benchmarks.bench_beside_hermes [PACKETS ...]      1,000 and 5,000 by default

Needs the builds of `make live`. The chains are simd's (ibc-go), of one validator with blocks of 200 ms and a
transaction index. Each relayer runs as it is documented for many packets: ours with four keys per chain,
Hermes, which signs with one, with 100 messages per transaction, trusted nodes and no clearing. It has its own
channel and is up before users send the packets, 100 per transaction, as fast as the chain accepts them. The
time ends when all are acknowledged; CPU is the relayer's in this time, by all its processes.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import live_world as world
from benchmarks.bench_live_relay import ChainUrls, fund, relayers
from conformance.peers.binaries import PeerMissing, peer_binary
from pyibc.core.channel.types import Order
from pyibc.relayer.paths.open_path import make_path

PACKETS = (1_000, 5_000)
IN_ONE = 100
PATIENCE_S = 600.0


class Row(NamedTuple):
    """A relayer with so many packets."""

    relayer: str
    packets: int
    per_s: float  # packets there and back
    sent_per_s: float  # as the chain accepted them
    cpu_ms: float  # of the relayer, per packet
    left: bool  # whether a packet was not acknowledged in `PATIENCE_S`


def rows(numbers: tuple[int, ...] = PACKETS) -> list[Row]:
    """Measure both relayers with each number of packets; nothing if ibc-go's chain is not installed."""
    try:
        peer_binary("simd")
    except PeerMissing as missing:
        print(f"not run: {missing}")
        return []
    found = []
    with tempfile.TemporaryDirectory(prefix="bench-hermes-") as name:
        folder = Path(name)
        with world.theirs(2, folder) as (a, b):
            for node in (a, b):
                fund(node)
            ends = a.chain.as_user("relayer"), b.chain.as_user("relayer")
            chains = [ChainUrls(node.chain.url, node.chain.grpc) for node in (a, b)]
            for number, (relayer, start) in enumerate(relayers()):
                path = make_path(*ends, "transfer", Order.UNORDERED, "ics20-1", new_channel=True)
                home = folder / str(number)
                process = start(a, b, chains, home, path.a.channel_id)
                try:
                    found += [_row(relayer, process, a, path, packets) for packets in numbers]
                finally:
                    process.terminate()
                    process.wait()
    return found


def _row(relayer: str, process: subprocess.Popen, a, path, packets: int) -> Row:
    with ExitStack() as stack:
        sender = stack.enter_context(closing(world.Sender(a.chain)))
        raws = sender.sign(world.transfers(a.chain, path, packets // IN_ONE, IN_ONE))
        before, start = _cpu_s(process), time.monotonic()
        sender.send(raws)
        sent_s = time.monotonic() - start
        while (left := world.pending(a.chain, path.a.channel_id)) and time.monotonic() - start < PATIENCE_S:
            time.sleep(0.1)
        took_s = time.monotonic() - start
        cpu_s = _cpu_s(process) - before
    return Row(relayer, packets, packets / took_s, packets / sent_s, cpu_s / packets * 1e3, left)


def _cpu_s(process: subprocess.Popen) -> float:
    return sum(world.cpu_s(process.pid).values())


def show(found: list[Row]) -> None:
    """Print a table, with ratios to Hermes."""
    hermes = {row.packets: row for row in found if row.relayer == "Hermes"}
    heads = ("packets", 9), ("a second", 10), ("x Hermes", 10), ("sent/s", 9), ("CPU ms", 8), ("x Hermes", 10)
    print(f"{'relayer':14}" + "".join(f"{name:>{width}}" for name, width in heads))
    for row in found:
        other = hermes.get(row.packets)
        ratios = (row.per_s / other.per_s, row.cpu_ms / other.cpu_ms) if other is not None else ()
        rate, cpu = (f"{each:.2f}" for each in ratios) if ratios else ("not run", "not run")
        left = "  packets are left" if row.left else ""
        print(
            f"{row.relayer:14}{row.packets:>9,}{row.per_s:>10.1f}{rate:>10}{row.sent_per_s:>9.0f}"
            f"{row.cpu_ms:>8.2f}{cpu:>10}{left}"
        )


if __name__ == "__main__":
    show(rows(tuple(map(int, sys.argv[1:])) or PACKETS))
