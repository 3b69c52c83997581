"""Benchmark: relayed round trips between two chains on disk: packets per second, CPU, bytes per packet.

The same transfers go over a channel, and between clients (IBC v2).

python -m benchmarks.bench_relay
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from localnet.demo.chains import CHAINS, START_NS, DemoChain, SharedClock
from localnet.demo.scenario import DemoEnd, SentTransfer, demo_ends, send_native
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_client_path, make_path
from pyibc.relayer.paths.path import AnyPath, ClientEnd
from pyibc.testing.transfers import abroad, hop

PACKETS = 2_000
USERS = 10
PARTS = {"state": "trees", "blocks": "blocks with events", "export": "exports"}


class Row(NamedTuple):
    """One figure."""

    name: str
    value: float
    unit: str


class DemoClientEnd(NamedTuple):
    """A chain and its client of the other, over which users send (`user_transfers.DemoEnd`)."""

    chain: DemoChain
    end: ClientEnd
    counterparty: DemoChain

    def message(self, user: Wallet, transfer: SentTransfer) -> AnyMessage:
        """Return a MsgTransfer over the client, with a timeout in an hour."""
        until_s = self.chain.chain.tip().time_ns // NS_PER_S + 3600
        message = MsgTransfer(
            *hop(self.end),
            transfer.denom,
            str(transfer.amount),
            user.address.text,
            transfer.receiver,
            ZERO_HEIGHT,
            until_s,
            transfer.memo,
        )
        return pack_msg(message)

    def foreign_voucher(self) -> str:
        """Return the denomination of the counterparty's coins on this chain."""
        return abroad(self.counterparty.denom, self.end).coin_denom


def _channel(a: DemoChain, b: DemoChain) -> tuple[DemoEnd, AnyPath]:
    path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    return demo_ends(a, b, path)[0], path


def _clients(a: DemoChain, b: DemoChain) -> tuple[DemoEnd, AnyPath]:
    path = make_client_path(a.endpoint, b.endpoint)
    return DemoClientEnd(a, path.a, b), path


ROADS = {"channel": _channel, "clients (v2)": _clients}


def rows() -> list[Row]:
    """Send, then relay until nothing is pending; the relayer's `submit` includes the chains' own work."""
    found: list[Row] = []
    for name, road in ROADS.items():
        with tempfile.TemporaryDirectory() as folder:
            found += [row._replace(name=f"{name}: {row.name}") for row in _rows(Path(folder), road)]
    return found


def _rows(root: Path, road: Callable[[DemoChain, DemoChain], tuple[DemoEnd, AnyPath]]) -> list[Row]:
    clock = SharedClock(START_NS)
    a, b = (
        DemoChain(name, denom, root / name, root / "export" / name, clock, USERS) for name, denom in CHAINS
    )
    end, path = road(a, b)
    link = Link([path], a.endpoint, b.endpoint)
    before = {part: _disk(root, part) for part in PARTS}
    start = time.process_time()
    sent = 0
    while sent < PACKETS:
        sent += send_native(end, min(100, PACKETS - sent), sent)
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
    """Print a table."""
    for row in found:
        print(f"{row.name:66}{row.value:>10.1f} {row.unit}")
    print("`submit` holds the chains' own execution; the baseline is the relayer without it")


if __name__ == "__main__":
    show(rows())
