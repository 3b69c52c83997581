"""Relayed round trips between two chains on disk: packets a second, CPU by part, bytes a packet.

python -m benchmarks.bench_relay
"""

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from ibc_module.core.channel import Order
from ibc_module.relayer.link import Link
from ibc_module.relayer.open_path import make_path
from localnet.demo.actors import CHAINS, START_NS, DemoChain, SharedClock
from localnet.demo.channel import sides
from localnet.demo.traffic import there

PACKETS = 2_000
USERS = 10
PARTS = {"state": "trees", "blocks": "blocks with events", "export": "exports"}


class Row(NamedTuple):
    """One figure."""

    name: str
    value: float
    unit: str


def rows() -> list[Row]:
    """Sends, then relays until nothing is pending; the chains' own work is inside the relayer's `submit`."""
    with tempfile.TemporaryDirectory() as folder:
        return _rows(Path(folder))


def _rows(root: Path) -> list[Row]:
    clock = SharedClock(START_NS)
    a, b = (
        DemoChain(name, denom, root / name, root / "export" / name, clock, USERS) for name, denom in CHAINS
    )
    path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    link = Link([path], a.endpoint, b.endpoint)
    before = {part: _disk(root, part) for part in PARTS}
    start = time.process_time()
    side, sent = sides(a, b, path)[0], 0
    while sent < PACKETS:
        sent += there(side, min(100, PACKETS - sent), sent)
    sending = time.process_time() - start
    start, wall = time.process_time(), time.monotonic()
    done = link.until_idle()
    relaying, elapsed = time.process_time() - start, time.monotonic() - wall
    link.close()
    found = [
        Row("round trips a second, one process for all", done.acknowledged / elapsed, "/s"),
        Row("sending, CPU a packet (chain A)", sending / sent * 1e6, "us"),
        Row("relaying both ways, CPU a packet", relaying / sent * 1e6, "us"),
    ]
    spent = {name: ns / 1000 / sent for name, ns in done.cpu_ns.items()}
    found += [Row(f"  of it {name}", us, "us") for name, us in sorted(spent.items())]
    a.close()
    b.close()
    for part, what in PARTS.items():
        found.append(
            Row(f"on disk a packet, both chains: {what}", (_disk(root, part) - before[part]) / sent, "B")
        )
    return found


def _disk(root: Path, part: str) -> int:
    files = (path for path in root.rglob("*") if path.is_file() and part in path.relative_to(root).parts)
    return sum(path.stat().st_blocks * 512 for path in files)


def show(found: list[Row]) -> None:
    """Prints a table."""
    for row in found:
        print(f"{row.name:52}{row.value:>10.1f} {row.unit}")
    print("`submit` holds the chains' own execution; the baseline is the relayer without it")


if __name__ == "__main__":
    show(rows())
