"""Benchmark: block times with concurrent readers of old heights, beside the same blocks without readers.

    python benchmarks/bench_readers.py            100,000 keys, eight readers (some two minutes)
    python benchmarks/bench_readers.py --quick    20,000 keys

A block is 1,000 random updates, applied and committed, one every 100 ms at most; each reader proves a random
key at a random retained height, one after another. Wall milliseconds. Only the ratio is comparable between
machines.
"""

import argparse
import random
import shutil
import tempfile
from dataclasses import dataclass
from statistics import median
from threading import Event, Thread
from time import perf_counter, sleep

from benchmarks.bench_tree import Row, show
from iavl import DiskOptions, HistoryBusy, MultiStore, VersionMissing

READERS = 8
PER_BLOCK = 1_000
INTERVAL = 0.1
KEPT = 100


@dataclass(frozen=True)
class Blocks:
    """Wall milliseconds of each block, and the number of proofs made meanwhile."""

    times: list[float]
    proofs: int = 0
    busy: int = 0

    @property
    def p99(self) -> float:
        """The 99th percentile of block times."""
        return sorted(self.times)[int(len(self.times) * 0.99)]


class Readers:
    """Threads that prove at random heights until they are stopped."""

    def __init__(self, store: MultiStore, keys: list[bytes], count: int) -> None:
        self.proofs = self.busy = 0
        self._done = Event()
        self._threads = [Thread(target=self._read, args=(store, keys, n)) for n in range(count)]

    def __enter__(self) -> "Readers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _read(self, store: MultiStore, keys: list[bytes], seed: int) -> None:
        rng = random.Random(seed)
        while not self._done.is_set():
            try:
                store.prove("ibc", rng.choice(keys), rng.choice(store.versions()))
                self.proofs += 1
            except HistoryBusy:
                self.busy += 1
            except VersionMissing:  # pruned between the two calls, or during the read
                continue


def make_blocks(store: MultiStore, keys: list[bytes], rng: random.Random, count: int) -> list[float]:
    times = []
    for _ in range(count):
        writes = sorted((rng.choice(keys), rng.randbytes(32)) for _ in range(PER_BLOCK))
        start = perf_counter()
        with store.executing():
            store.apply({"ibc": writes})
            store.commit()
        spent = perf_counter() - start
        times.append(spent * 1e3)
        sleep(max(INTERVAL - spent, 0))
    return times


def measure(count: int, blocks: int, readers: int = READERS) -> tuple[Blocks, Blocks]:
    """Measure blocks without and with readers, on one store with `count` keys."""
    rng = random.Random(1)
    keys = [rng.randbytes(32) for _ in range(count)]
    path = tempfile.mkdtemp()
    options = DiskOptions(checkpoint_on_close=False)
    store = MultiStore(path, ["ibc"], keep_versions=KEPT, cache_nodes=count // 2, disk=options)
    try:
        store.apply({"ibc": sorted((key, rng.randbytes(32)) for key in keys)})
        store.commit()
        make_blocks(store, keys, rng, KEPT // 2)
        quiet = Blocks(make_blocks(store, keys, rng, blocks))
        with Readers(store, keys, readers) as beside:
            times = make_blocks(store, keys, rng, blocks)
        return quiet, Blocks(times, beside.proofs, beside.busy)
    finally:
        store.close()
        shutil.rmtree(path)


def rows(*, quick: bool = False, blocks: int = 200) -> list[Row]:
    """Measure all rows; `quick` uses fewer keys."""
    count = 20_000 if quick else 100_000
    quiet, read = measure(count, blocks)
    found = []
    for name, made in (("no readers", quiet), (f"{READERS} readers of old heights", read)):
        head = f"{count // 1000}k keys, {name}: block"
        found += [
            Row(f"{head}, median", median(made.times), "ms"),
            Row(f"{head}, p99", made.p99, "ms"),
            Row(f"{head}, worst", max(made.times), "ms"),
        ]
    told = f"{read.proofs} proofs meanwhile, {read.busy} refused as busy"
    return [*found, Row("p99 with readers / without (bar: 2)", read.p99 / quiet.p99, "", note=told)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--blocks", type=int, default=200)
    given = parser.parse_args()
    show(rows(quick=given.quick, blocks=given.blocks))


if __name__ == "__main__":
    main()
