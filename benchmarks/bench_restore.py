"""Benchmark: state sync of large states: time, and memory of the exporting and the restoring process.

    python -m benchmarks.bench_restore 100 300 1000    # MB of states: keys of 32 bytes, values of
        1,000

Each state is built, exported and restored on disk, each in a separate process. Memory is the growth of
RssAnon and of VmRSS (mapped file pages included), at their peaks, sampled with each chunk.
"""

import multiprocessing
import shutil
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from iavl import MultiStore, engine
from iavl.restore import check

_VALUE = 1_000
_CHUNK = 4 << 20
_BLOCK = 20_000


class Memory(NamedTuple):
    """Megabytes of this process."""

    anonymous: float
    resident: float

    @classmethod
    def now(cls):
        """Return the current values, from the kernel."""
        lines = Path("/proc/self/status").read_text().splitlines()
        told = {
            line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("RssAnon", "VmRSS"))
        }
        return cls(int(told["RssAnon"]) / 1024, int(told["VmRSS"]) / 1024)


class Sampler:
    """The largest growth of memory since its creation."""

    def __init__(self):
        self._before = Memory.now()
        self.most = Memory(0, 0)

    def look(self):
        """Take a sample."""
        now = Memory.now()
        self.most = Memory(*(max(m, n - b) for m, n, b in zip(self.most, now, self._before, strict=True)))


def build(folder, leaves):
    """Build a state of `leaves` leaves; return its app hash."""
    store = MultiStore(folder, ["ibc", "bank"], cache_nodes=50_000, keep_versions=2)
    for first in range(0, leaves, _BLOCK):
        numbers = range(first, min(first + _BLOCK, leaves))
        keys = sorted(sha256(b"%d" % number).digest() for number in numbers)
        store.apply({"bank": [(key, key * (_VALUE // 32) + key[: _VALUE % 32]) for key in keys]})
        store.commit(b"x")
    store.close()
    return store.version, store.app_hash


def export(folder, chunks, version):
    """Write the chunks; return seconds and memory."""
    store = MultiStore(folder, ["ibc", "bank"], cache_nodes=50_000, keep_versions=2)
    start, sampler = time.monotonic(), Sampler()
    for index, chunk in enumerate(store.export(version, _CHUNK)):
        (chunks / str(index)).write_bytes(chunk)
        sampler.look()
    seconds = time.monotonic() - start
    store.close()
    return seconds, sampler.most


def restore(folder, chunks, version, app_hash):
    """Restore from the chunks; return seconds and memory."""
    store = MultiStore(folder, ["ibc", "bank"], cache_nodes=50_000, keep_versions=2)
    start, sampler = time.monotonic(), Sampler()
    importer = store.importer(version, app_hash)
    for index in range(sum(1 for _ in chunks.iterdir())):
        importer.feed((chunks / str(index)).read_bytes())
        sampler.look()
    store.restore(importer)
    sampler.look()
    seconds = time.monotonic() - start
    assert store.app_hash == app_hash
    store.close()
    return seconds, sampler.most


def read_back(chunks, version, app_hash):
    """Return CPU seconds for a node's check of its own snapshot, with the selected engine and in Python."""
    paths = [chunks / str(index) for index in range(sum(1 for _ in chunks.iterdir()))]
    spent = []
    for chosen in (engine.CHOSEN, engine.PYTHON):
        engine.use(chosen)
        start = time.process_time()
        check(["ibc", "bank"], version, app_hash, lambda: (path.read_bytes() for path in paths))
        spent.append(time.process_time() - start)
    return spent


def in_a_process(function, *arguments):
    """Return the function's result, computed in a separate process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def shown(memory):
    """Format memory for a table."""
    return f"{memory.anonymous:.0f}, {memory.resident:.0f}"


def measure(megabytes, base):
    """Print a row."""
    folder = Path(tempfile.mkdtemp(dir=base))
    try:
        chunks = folder / "chunks"
        chunks.mkdir()
        version, app_hash = in_a_process(build, folder / "old", megabytes * 1_000_000 // (_VALUE + 32))
        wrote, exporting = in_a_process(export, folder / "old", chunks, version)
        size = sum(path.stat().st_size for path in chunks.iterdir()) / 1e6
        checked, in_python = in_a_process(read_back, chunks, version, app_hash)
        took, restoring = in_a_process(restore, folder / "new", chunks, version, app_hash)
        exported, restored = f"{wrote:.0f} | {shown(exporting)}", f"{took:.0f} | {shown(restoring)}"
        read = f"{checked:.2f} | {in_python / checked:.1f}"
        print(f"| {megabytes} | {size:.0f} | {exported} | {read} | {restored} |", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    own = "its MB (own, all)"
    print(f"| state MB | snapshot MB | export s | {own} | read back s | Python's ratio | restore s | {own} |")
    print("|---|---|---|---|---|---|---|---|")
    for told in sys.argv[1:] or ["100", "300"]:
        measure(int(told), tempfile.gettempdir())
