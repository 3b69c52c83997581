"""Benchmark: the tree, beside one SHA-256 and beside cosmos/iavl in Go.

    python benchmarks/bench_tree.py            all rows (some two minutes)
    python benchmarks/bench_tree.py --quick    without the disk at 1,000,000 keys

Figures are medians of process CPU. `x hash` is the row in units of one SHA-256 of 110 bytes (an inner node's
preimage) measured in the same run, which is comparable between machines, unlike microseconds. If pyibc-native
is installed, its tree runs between Python's runs. With PEERS_DIR set to the folder of `peers.sh` and Go
installed, cosmos/iavl runs between our runs (A B A B).
"""

import argparse
import gc
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from iavl import DiskOptions, MultiStore, Tree, engine
from iavl.disk.nodes import NodeLoader, split_leaf
from iavl.engine import PYTHON, Engine
from iavl.nodes.node import Node
from iavl.sha import sha256

PER_BLOCK = 1_000
GO_KEYS = 100_000
"""Numbers of keys in the trees that `peers.sh` builds."""
BLOCKS = 15
GETS = 10_000
"""Gets per sample: some 20 ms, as for cosmos/iavl. A garbage collection precedes each and empties the caches.
"""
NATIVE = engine.load(None)[0]
"""The native engine, or Python's if native code is not installed."""
ENGINES = [PYTHON] if NATIVE is PYTHON else [PYTHON, NATIVE]
Change = tuple[bytes, bytes | None]


@dataclass(frozen=True)
class Row:
    """A line: `value` (Python's) in `unit`; `native` and `go` (cosmos/iavl), if they were measured."""

    name: str
    value: float
    unit: str = "us"
    hashes: float | None = None
    go: float | None = None
    note: str = ""
    native: float | None = None


class Source:
    """Keys and values that are the same in every run."""

    def __init__(self, count: int) -> None:
        self.rng = random.Random(1)
        self.keys = [self.rng.randbytes(32) for _ in range(count)]

    def update(self, _number: int) -> Change:
        """Return an update of a random key."""
        return self.rng.choice(self.keys), self.rng.randbytes(32)

    def insert(self, _number: int) -> Change:
        """Return an insertion of a random key."""
        return self.rng.randbytes(32), self.rng.randbytes(32)

    def commitment(self, number: int) -> Change:
        """Return the commitment of the next packet, under ibc-go's key."""
        return commitment_key(number), self.rng.randbytes(32)

    def removal(self, number: int) -> Change:
        """Return the removal of a commitment, as after an acknowledgement."""
        return commitment_key(number), None


def commitment_key(number: int) -> bytes:
    return b"commitments/ports/transfer/channels/channel-0/sequences/%d" % (number + 1)


def blocks_of(write: Callable[[int], Change], blocks: int = BLOCKS) -> Iterator[list[Change]]:
    for block in range(blocks):
        yield [write(block * PER_BLOCK + number) for number in range(PER_BLOCK)]


def cpu(work: Callable[[], object]) -> float:
    """Return CPU microseconds of a call, without automatic garbage collection."""
    gc.collect()
    gc.disable()
    start = process_time()
    work()
    spent = process_time() - start
    gc.enable()
    return spent * 1e6


def hash_cost() -> float:
    """Return CPU microseconds of one SHA-256 of 110 bytes, called from Python."""
    sample = os.urandom(110)

    def loop() -> None:
        for _ in range(2_000):
            sha256(sample).digest()

    return median(cpu(loop) for _ in range(15)) / 2_000


def per_write(tree: Tree, blocks: Iterable[list[Change]]) -> float:
    """Return the median over blocks of CPU microseconds per write, commit included."""

    def block(changes: list[Change]) -> None:
        tree.apply(changes)
        tree.commit()

    costs = []
    for changes in blocks:
        costs.append(cpu(lambda changes=changes: block(changes)) / len(changes))
        tree.delete_versions_to(tree.version - 1)
    return median(costs)


def built(source: Source) -> Tree:
    tree = Tree()
    tree.apply([(key, source.rng.randbytes(32)) for key in source.keys])
    tree.commit()
    return tree


def read_costs(tree: Tree, source: Source) -> dict[str, float]:
    snapshot = tree.at(tree.version)
    keys = [source.rng.choice(source.keys) for _ in range(500)]
    absent = [source.rng.randbytes(32) for _ in range(500)]
    many = [source.rng.choice(source.keys) for _ in range(GETS)]

    def per_key(call: Callable[[bytes], object], asked: list[bytes]) -> float:
        return median(cpu(lambda: [call(key) for key in asked]) for _ in range(BLOCKS)) / len(asked)

    return {
        "proof": per_key(snapshot.prove, keys),
        "absence proof": per_key(snapshot.prove, absent),
        "get": per_key(snapshot.get, many),
        "iterate, per key": median(cpu(lambda: sum(1 for _ in snapshot.iterate())) for _ in range(5))
        / snapshot.size,
    }


@contextmanager
def using(kind: Engine) -> Iterator[None]:
    before = engine.use(kind)
    try:
        yield
    finally:
        engine.use(before)


def memory_costs(count: int = 100_000) -> dict[str, float]:
    """Return the rows that cosmos/iavl has too, on `count` keys, and the cost of one hash."""
    source = Source(count)
    tree = built(source)
    found = {
        "update": per_write(tree, blocks_of(source.update)),
        "insert": per_write(tree, blocks_of(source.insert)),
        "commitments": per_write(tree, blocks_of(source.commitment)),
        "remove commitments": per_write(tree, blocks_of(source.removal)),
    }
    return found | read_costs(tree, source) | {"hash": hash_cost()}


def remembered_get() -> float:
    source = Source(1_000)
    store = MultiStore(None, ["ibc"])
    store.apply({"ibc": [(key, source.rng.randbytes(32)) for key in source.keys]})
    store.commit()
    get = store.store("ibc").get
    return median(cpu(lambda: [get(key) for key in source.keys]) for _ in range(BLOCKS)) / 1_000


def go_costs(what: str = "iavl") -> dict[str, float]:
    """Return cosmos/iavl's figures by operation, in memory or on goleveldb (`iavl-disk`).

    {} if it cannot run.
    """
    script = Path(os.environ.get("PEERS_DIR", "")) / "peers.sh"
    if "PEERS_DIR" not in os.environ or not script.is_file() or shutil.which("go") is None:
        return {}
    ran = subprocess.run([str(script), "run", what], check=True, capture_output=True, text=True)
    lines = map(json.loads, ran.stdout.splitlines())
    return {line["op"].partition("/")[2]: line["us"] for line in lines}


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(run[name] for run in runs) for name in runs[0]}


def tree_rows() -> list[Row]:
    """Measure the tree in memory at 100,000 keys, with each engine, and Go's between two runs of ours."""
    ours: list[list[dict[str, float]]] = [[] for _ in ENGINES]
    theirs = []
    for _ in range(2):
        for runs, kind in zip(ours, ENGINES, strict=True):
            with using(kind):
                runs.append(memory_costs() | small_costs())
        theirs.append(go_costs())
    mine, native, go = medians(ours[0]), medians(ours[-1]) if len(ours) > 1 else {}, medians(theirs)
    unit = mine.pop("hash")
    found = [Row("one SHA-256 of 110 bytes", unit)]
    for name, value in mine.items():
        where = name if ":" in name else f"100k keys: {name}"
        found.append(Row(where, value, hashes=value / unit, go=go.get(name), native=native.get(name)))
    return found


def small_costs() -> dict[str, float]:
    small = Source(10_000)
    return {
        "10k keys: update": per_write(built(small), blocks_of(small.update)),
        "MultiStore: get of what was last read or written": remembered_get(),
    }


class Unchecked(NodeLoader):
    """Loads node records without verifying their hashes."""

    def _fill_inner(self, node: Node, record: bytes) -> None:
        self._set_children(node, record)

    def _fill_leaf(self, node: Node, record: bytes) -> None:
        node.key, node.value = split_leaf(record)


def load_costs(count: int = 20_000) -> list[Row]:
    """Measure loading all nodes of a tree from a dictionary of records, verified and unverified in turns."""
    loaders = [(PYTHON, NodeLoader), (PYTHON, Unchecked), *((kind, kind.loader) for kind in ENGINES[1:])]
    trees = []
    for kind, loader in loaders:
        with using(kind):
            tree = built(Source(count))
            records = dict(kind.unwritten([tree.committed], 1).take(2 * count))
        trees.append((kind, tree, loader("bench", records), []))
    for _ in range(5):
        for kind, tree, loader, found in trees:
            with using(kind):
                loader.empty(tree.committed)
                found.append(cpu(lambda tree=tree: sum(1 for _ in tree.iterate())) / (2 * count - 1))
    checked, unchecked, *native = (median(found) for *_, found in trees)
    return [
        Row("load of a node, checked", checked, native=native[0] if native else None),
        Row("load of a node, unchecked", unchecked),
        Row("what checking a load costs", checked - unchecked),
    ]


def resident_mb() -> float:
    """Return this process's anonymous memory, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


def written_bytes() -> int:
    return int(Path("/proc/self/io").read_text().split("wchar:")[1].split()[0])


def fill(path: str, count: int) -> None:
    """Build a store of `count` keys."""
    source = Source(count)
    store = MultiStore(path, ["ibc"], keep_versions=10)
    store.apply({"ibc": [(key, source.rng.randbytes(32)) for key in sorted(source.keys)]})
    store.commit()
    store.close()


def disk_figures(path: str, count: int) -> dict[str, float]:
    """Measure opening and running a store of `count` keys with a cache for a tenth of its nodes."""
    source = Source(count)
    source.rng = random.Random(2)
    before = resident_mb()
    start, spent = perf_counter(), process_time()
    killed = DiskOptions(checkpoint_on_close=False)
    store = MultiStore(path, ["ibc"], keep_versions=10, cache_nodes=count // 5, disk=killed)
    found = {
        "open, wall ms": (perf_counter() - start) * 1e3,
        "open, CPU ms": (process_time() - spent) * 1e3,
    }
    found["memory then, MB"] = resident_mb() - before
    keys = [source.rng.choice(source.keys) for _ in range(1_000)]
    found["first 1,000 gets, CPU ms"] = cpu(lambda: list(map(store.store("ibc").get, keys))) / 1e3
    for name, write in (("commitments", source.commitment), ("update", source.update)):
        found |= run_blocks(store, name, blocks_of(write, 40))
    found["memory at the end, MB"] = resident_mb() - before
    store.close()
    spent = process_time()
    store = MultiStore(path, ["ibc"], keep_versions=10)
    found["open after a kill, CPU ms"] = (process_time() - spent) * 1e3
    store.close()
    start = perf_counter()
    MultiStore(path, ["ibc"], keep_versions=10).close()
    return found | {"open after closing, wall ms": (perf_counter() - start) * 1e3}


def run_blocks(store: MultiStore, name: str, blocks: Iterable[list[Change]]) -> dict[str, float]:
    def block(changes: list[Change]) -> None:
        store.apply({"ibc": sorted(changes)})
        store.commit()

    bytes_before = written_bytes()
    costs = [cpu(lambda changes=changes: block(changes)) / len(changes) for changes in blocks]
    return {
        f"{name}, CPU us a write, mean": sum(costs) / len(costs),
        f"{name}, CPU us a write, median block": median(costs),
        f"{name}, bytes to disk a write": (written_bytes() - bytes_before) / len(costs) / PER_BLOCK,
    }


def disk_rows(counts: Iterable[int]) -> list[Row]:
    """Measure stores on disk, in a process for building and one for measuring, to separate their memory."""
    found = []
    for count in counts:
        each = [disk_run(count, str(number)) for number in range(len(ENGINES))]
        go = go_costs("iavl-disk") if count == GO_KEYS else {}
        for name, value in each[0].items():
            unit = (
                name.rpartition(" ")[2] if name.endswith(("ms", "MB")) else "B" if "bytes" in name else "us"
            )
            native = each[1][name] if len(each) > 1 else None
            theirs = go.get(name.partition(",")[0]) if "CPU us a write" in name else None
            found.append(Row(f"disk, {count // 1000}k keys: {name}", value, unit, go=theirs, native=native))
    return found


def disk_run(count: int, switch: str) -> dict[str, float]:
    """Return the figures with the given value of PYIBC_NATIVE."""
    path = tempfile.mkdtemp()
    for step in ("fill", "measure"):
        command = [sys.executable, __file__, step, path, str(count)]
        given = os.environ | {"PYIBC_NATIVE": switch}
        ran = subprocess.run(command, check=True, capture_output=True, text=True, env=given)
    shutil.rmtree(path)
    figures: dict[str, float] = json.loads(ran.stdout)
    return figures


def rows(*, quick: bool = False) -> list[Row]:
    """Measure all rows; `quick` leaves out a million keys."""
    return (
        tree_rows() + load_costs() + disk_rows([10_000, 100_000] if quick else [10_000, 100_000, 1_000_000])
    )


def show(found: list[Row]) -> None:
    print(f"{'':58}{'value':>10}{'native':>10}  unit{'x hash':>8}{'Go us':>9}{'Go/ours':>9}{'native':>9}")
    for row in found:
        hashes = "" if row.hashes is None else f"{row.hashes:.1f}"
        comparable = row.hashes is not None
        go = f"{row.go:.2f}" if row.go is not None else "not run" if comparable else ""
        ratios = [
            "" if row.go is None or not ours else f"{row.go / ours:.2f}" for ours in (row.value, row.native)
        ]
        native = "" if row.native is None else f"{row.native:.2f}"
        print(
            f"{row.name:58}{row.value:10.2f}{native:>10}  {row.unit:4}{hashes:>8}{go:>9}"
            f"{ratios[0]:>9}{ratios[1]:>9}  {row.note}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("step", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.step:
        show(rows(quick=given.quick))
        return
    step, path, count = given.step
    if step == "fill":
        fill(path, int(count))
    else:
        print(json.dumps(disk_figures(path, int(count))))


if __name__ == "__main__":
    main()
