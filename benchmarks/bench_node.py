"""Benchmark: a node under load: transactions through CometBFT and relayed packets, beside ibc-go's simd.

    python benchmarks/bench_node.py            everything
    python benchmarks/bench_node.py loads      transactions only, on every kind of chain
    python benchmarks/bench_node.py sends      bank sends only

Needs the builds of `make cometbft` and `make live`; `STOCK=1 FOLDER=.cache/stock make cometbft` builds the
released CometBFT. If native code is installed, all chains except those called `pure` use it. Each chain has
one validator with a block interval of some 200 ms; chains take turns, to spread noise evenly. A backlog is
five hundred unrelayed transfers; a relayer is a process that starts, relays everything and ends. CPU is user
and system time of every process of a node.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import live_world as world
from conformance.peers.binaries import PeerMissing, peer_binary
from localnet.comet.homes import cometbft
from localnet.errors import NoCometBft
from pyibc.core import native

TRANSACTIONS = 1_000
BACKLOG, IN_ONE = 500, 100
ROUNDS = 3
STOCK = Path(__file__).resolve().parents[1] / ".cache/stock/cometbft"
ROOT = Path(__file__).resolve().parents[1]


class Row(NamedTuple):
    """A load on one kind of chain."""

    name: str
    at: str
    per_s: float  # transactions, or packet round trips
    cpu_us: dict[str, float]  # CPU per transaction or packet, by process


def rows(part: str = "") -> list[Row]:
    """Measure every load on every available kind of chain, or one part of them."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bench-node-") as folder:
        for turn in range(ROUNDS):
            for make in makes():
                found += _of(make, Path(folder) / str(turn), part)
    return _middle(found)


def makes() -> list[Callable[[int, Path], object]]:
    """Return the kinds of chains that are installed; print the names of the others."""
    found = []
    try:
        peer_binary("simd")
        found.append(world.theirs)
    except PeerMissing as missing:
        print(f"not run: {missing}")
    try:
        found.append(partial(world.ours, binary=cometbft()))
        if native.NATIVE is not None:
            found.append(partial(world.ours, binary=cometbft(), name="pure", native=False))
    except NoCometBft as missing:
        print(f"not run: {missing}")
    if STOCK.exists():
        found.append(partial(world.ours, name="stock", binary=STOCK))
        found.append(partial(world.ours, name="gRPC", binary=STOCK, abci="grpc"))
    else:
        print("not run: CometBFT as released, STOCK=1 FOLDER=.cache/stock make cometbft builds it")
    return found


def _of(make, folder: Path, part: str) -> Iterator[Row]:
    folder.mkdir(parents=True, exist_ok=True)
    with make(2, folder) as (a, b), ExitStack() as stack:
        on_a, on_b = (stack.enter_context(closing(world.Sender(each.chain))) for each in (a, b))
        yield _load("bank sends", a, on_a, world.sends(a.chain, TRANSACTIONS))
        if part == "sends":
            return
        road = world.open_channel_path(a.chain, b.chain)
        first = a.chain.as_user("relayer").tip().height
        yield _load("transfers", a, on_a, world.transfers(a.chain, road, TRANSACTIONS))
        received = world.receives(a.chain, b.chain, road, first)
        yield _load("packets received with proofs", b, on_b, received)
        if part == "loads" or a.name in {"pure", "stock", "gRPC"}:
            return
        _relay_ours(a, b, folder)  # acknowledgements of received packets
        for relayer in relayers():
            on_a.send(on_a.sign(world.transfers(a.chain, road, BACKLOG // IN_ONE, IN_ONE)))
            yield relayer(a, b, folder)


def _load(name, node, sender, transactions) -> Row:
    raws = sender.sign(transactions)
    before, start = world.cpu_s(node.pid), time.perf_counter()
    sender.send(raws)
    took, after = time.perf_counter() - start, world.cpu_s(node.pid)
    return Row(name, node.name, len(raws) / took, _spent(before, after, len(raws)))


def relayers():
    """Return the installed relayers; print the names of the others."""
    try:
        peer_binary("hermes")
    except PeerMissing as missing:
        print(f"not run: {missing}")
        return [_relay_ours]
    return [_relay_ours, _relay_hermes]


def _relay_hermes(a, b, folder: Path) -> Row:
    return _relayed("Hermes", a, b, world.hermes_command(a.chain, b.chain, folder))


def _relay_ours(a, b, folder: Path) -> Row:  # noqa: ARG001 - a relayer's shape
    return _relayed("our relayer", a, b, [sys.executable, __file__, "relay", a.chain.url, b.chain.url])


def _relayed(who: str, a, b, command: list[str]) -> Row:
    """Run a relayer to its end; return the costs of all processes."""
    nodes = {"chain a": a.pid, "chain b": b.pid}
    before = {name: sum(world.cpu_s(pid).values()) for name, pid in nodes.items()}
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"{who} ended with {process.returncode}: {said.decode(errors='replace')[-2000:]}")
    if world.pending(a.chain):
        raise RuntimeError(f"{who} left packets: {said.decode(errors='replace')[-2000:]}")
    after = {name: sum(world.cpu_s(pid).values()) for name, pid in nodes.items()}
    spent = {name: (after[name] - before[name]) / BACKLOG * 1e6 for name in nodes}
    spent["relayer"] = (used.ru_utime + used.ru_stime) / BACKLOG * 1e6
    return Row(f"packets there and back, {who}", a.name, BACKLOG / took, spent)


def _spent(before, after, count):
    return {name: (after[name] - before.get(name, 0.0)) / count * 1e6 for name in after}


def _middle(found: list[Row]) -> list[Row]:
    """Return for each load and kind of chain the round with the median CPU, and the median rate."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        groups.setdefault((row.name, row.at), []).append(row)
    middle = []
    for rounds in groups.values():
        by_cpu = sorted(rounds, key=lambda row: sum(row.cpu_us.values()))
        per_s = statistics.median(row.per_s for row in rounds)
        middle.append(by_cpu[len(by_cpu) // 2]._replace(per_s=per_s))
    return sorted(middle, key=lambda row: row.name)


def show(found: list[Row]) -> None:
    """Print a table."""
    by_load = {(row.name, row.at): row for row in found}
    print(f"{'load':40}{'at':>8}{'a second':>11}{'x simd':>8}{'CPU us':>9}{'x simd':>8}  by process, us")
    for row in found:
        total = sum(row.cpu_us.values())
        go = by_load.get((row.name, "simd"))
        times = f"{total / sum(go.cpu_us.values()):.2f}" if go else "not run"
        rate = f"{row.per_s / go.per_s:.2f}" if go else "not run"
        parts = ", ".join(f"{name} {us:.0f}" for name, us in sorted(row.cpu_us.items()) if us >= 1)
        print(f"{row.name:40}{row.at:>8}{row.per_s:>11,.0f}{rate:>8}{total:>9.0f}{times:>8}  {parts}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["relay"]:
        world.relay(*sys.argv[2:])
    else:
        show(rows(*sys.argv[1:2]))
