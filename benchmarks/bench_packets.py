"""Benchmark: packets through the host, beside ibc-go: send, receive, acknowledge, time out.

python -m benchmarks.bench_packets  (PEERS_DIR=... for ibc-go v10 between our runs: A B A)

Blocks of 10 signed transactions of 100 messages each, on chains with 100,000 keys in the ibc store and
50,000 accounts with balances; everything is real: signatures, checks, uncached proofs, gas, events, bank,
trees. CPU microseconds per packet, medians over blocks. "block" is FinalizeBlock + Commit without Python's
garbage collection, as the peer's figures are without Go's; "with collector" is both with it.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from types import ModuleType
from typing import NamedTuple, TypeVar

from benchmarks.packets_world import PER_BLOCK, World
from benchmarks.timing import peer
from conformance.native.trial import asking
from iavl import engine
from iavl.engine import Engine
from localnet.chain import LocalChain
from pyibc.codec.anys import AnyMessage
from pyibc.core import native
from pyibc.core.height import Height
from pyibc.relayer.money.wallet import Wallet

_T = TypeVar("_T")

BLOCKS = 6
KINDS = ("recv", "ack", "send", "timeout")


class Row(NamedTuple):
    """A figure and the peer's."""

    name: str
    us: float
    go_us: float | None
    native_us: float | None = None  # with native code; None if it is not built

    @property
    def faster(self) -> str:
        """Speed relative to the peer."""
        return "not run" if self.go_us is None else f"{self.go_us / self.us:.2f}"

    @property
    def line(self) -> str:
        """Return the row as a line of a table whose head is `head`."""
        built = "" if self.native_us is None else f"{self.native_us:.1f}"
        go = "not run" if self.go_us is None else f"{self.go_us:.1f}"
        times = f"{self.go_us / self.native_us:.2f}" if self.native_us and self.go_us else ""
        return f"{self.name:44}{self.us:>9.1f}{built:>9}{go:>12}{self.faster:>15}{times:>8}"


def head(what: str, peer_name: str) -> str:
    """Return the head of a table of rows."""
    return f"{what:44}{'ours':>9}{'native':>9}{peer_name:>12}{'times as fast':>15}{'native':>8}"


class Samples:
    """CPU microseconds per packet, by row."""

    def __init__(self) -> None:
        self._by_row: dict[str, list[float]] = {}

    def timed(self, row: str, work: Callable[[], _T], *, collector: bool = False) -> _T:
        """Add the time of one call, which handles a block of packets."""
        gc.collect()
        if not collector:
            gc.disable()
        start = time.process_time()
        result = work()
        if collector:
            gc.collect(0)
        spent = time.process_time() - start
        gc.enable()
        self.add(row, spent)
        return result

    def add(self, row: str, seconds: float) -> None:
        """Add a block's time."""
        self._by_row.setdefault(row, []).append(seconds / PER_BLOCK * 1e6)

    def median(self, row: str) -> float:
        """Return the median of a row."""
        return median(self._by_row[row])


def measure(
    samples: Samples, kind: str, chain: LocalChain, txs: Sequence[bytes], messages: Sequence[AnyMessage]
) -> None:
    """Measure a block: executed cold and discarded, its messages alone, then committed with the collector."""
    app, when = chain.app, chain.tip().time_ns + 10**9
    final = samples.timed(f"{kind}: FinalizeBlock", lambda: app.finalize_block(when, txs))
    failed = [outcome.log for outcome in final.outcomes if outcome.code]
    if failed:
        raise RuntimeError(f"{kind}: {failed[0]}")
    app.store.rollback()
    ctx, routes = app.query_context(), app.pipeline.messages()

    def alone() -> None:
        for each in messages:
            route = routes[each.type_url]
            route.deliver(ctx, route.decode(each.value))
            ctx.take_events()

    samples.timed(f"{kind}: message alone", alone)


def measure_whole(samples: Samples, kind: str, chain: LocalChain, txs: Sequence[bytes]) -> None:
    """Measure a block with cold caches, committed: consensus, block store, garbage collection included."""
    commit, spent = chain.app.store.commit, []

    def timed_commit(metadata: bytes = b"") -> tuple[int, bytes]:
        start = time.process_time()
        result = commit(metadata)
        spent.append(time.process_time() - start)
        return result

    chain.app.store.commit = timed_commit
    samples.timed(f"{kind}: whole node", lambda: chain.make_block(txs), collector=True)
    chain.app.store.commit = commit
    samples.add(f"{kind}: Commit", spent[0])


def run_ours(world: World, samples: Samples) -> None:
    """Measure `BLOCKS` blocks of every kind, half of them executed and discarded beforehand."""

    def one(
        whole: bool, kind: str, chain: LocalChain, wallets: Sequence[Wallet], messages: Sequence[AnyMessage]
    ) -> None:
        txs = world.txs(chain, wallets, messages)
        if whole:
            measure_whole(samples, kind, chain, txs)
        else:
            measure(samples, kind, chain, txs, messages)
            chain.make_block(txs)

    for number in range(BLOCKS):
        whole = number % 2 == 1
        one(whole, "send", world.a, world.users, world.transfers(PER_BLOCK))
        one(whole, "recv", world.b, world.relayers, world.recvs(world.sent_in_last_block()))
        one(whole, "ack", world.a, world.relayers, world.acks(world.answered_in_last_block()))
        too_soon = Height(1, world.b.height + 1)
        world.a.make_block(world.txs(world.a, world.users, world.transfers(PER_BLOCK, too_soon)))
        packets = world.sent_in_last_block()
        world.b.make_block([])
        one(whole, "timeout", world.a, world.relayers, world.timeouts(packets))


class Variant:
    """Two chains with native code, for verification and trees, or without it."""

    def __init__(self, module: ModuleType | None, trees: Engine) -> None:
        self._module, self._trees = module, trees
        self.samples = Samples()
        with self._on():
            self._world = World()

    def run(self) -> None:
        """Take a round of samples."""
        with self._on():
            run_ours(self._world, self.samples)

    @contextmanager
    def _on(self) -> Iterator[None]:
        before = engine.use(self._trees)
        try:
            with asking(self._module):
                yield
        finally:
            engine.use(before)


def rows() -> list[Row]:
    """Measure ours, with native code if it is built, the peer's, ours again."""
    variants = [Variant(None, engine.PYTHON)]
    if native.NATIVE is not None:
        variants.append(Variant(native.NATIVE, engine.CHOSEN))
    for variant in variants:
        variant.run()
    go = peer("flow10")
    for variant in variants if go else ():
        variant.run()
    pure, *others = [_figures(variant.samples) for variant in variants]
    return [
        Row(f"{kind}: {what}", us, go.get(_PEERS[what].format(kind)), *[each[kind, what] for each in others])
        for (kind, what), us in pure.items()
    ]


_PEERS = {
    "block": "v10/{}",
    "message alone": "v10/{} message alone",
    "whole node, with collector": "v10/{} with GC",
}


def _figures(samples: Samples) -> dict[tuple[str, str], float]:
    found = {}
    for kind in KINDS:
        commit = samples.median(f"{kind}: Commit")
        found[kind, "block"] = samples.median(f"{kind}: FinalizeBlock") + commit
        found[kind, "message alone"] = samples.median(f"{kind}: message alone")
        found[kind, "whole node, with collector"] = samples.median(f"{kind}: whole node")
    return found


def show(found: list[Row]) -> None:
    """Print a table."""
    print(head("CPU us a packet", "ibc-go v10"))
    for row in found:
        print(row.line)
    if native.NATIVE is None:
        print(f"native: {native.WHY}")


if __name__ == "__main__":
    show(rows())
