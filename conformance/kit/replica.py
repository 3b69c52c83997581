"""Replicas of a chain with another process history, which must reach the same results.

    python -m conformance.kit.replica JOB HISTORY CACHE

executes the blocks of JOB (a pickled `Job`) again. CACHE is the capacity of all caches of that process, in
entries: 0, 1, or `full`. Exits with 0 and prints the number of blocks, or with 1 and the first height with a
different result.
"""

import functools
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from conformance.kit.heap import every_object

CACHES = ("0", "1", "full")
HISTORIES = (
    "as it comes",
    "through the mempool",
    "proposed twice",
    "asked in between",
    "without memory",
    "restarted",
    "at random",
)


class Lived(NamedTuple):
    """A block and its results."""

    time_ns: int
    next_validators_hash: bytes
    txs: tuple[bytes, ...]
    app_hash: bytes
    outcomes: bytes  # `digest` of the results


def digest(outcomes: Sequence[object]) -> bytes:
    """Return a digest of transaction outcomes: codes, gas, events, responses and texts."""
    return sha256(repr(tuple(outcomes)).encode()).digest()


class Job(NamedTuple):
    """Configuration of a replica, and the blocks it has to execute."""

    config: Any  # a HostConfig
    plugins: str  # `module:function` that returns the plugins
    genesis_time_ns: int
    genesis: Mapping[str, Any]
    blocks: Sequence[Lived]


def forget() -> None:
    """Empty every cache of the process."""
    from pyibc.core.memo import ByteBoundedCache

    cached = type(functools.lru_cache(1)(len))
    ours = {
        "pyibc.core",
        "ibc_module",
        "pyibc.proto",
        "keepers",
        "handlers",
        "light_client",
        "localnet",
        "iavl",
    }
    for found in every_object():
        if isinstance(found, ByteBoundedCache):
            found.clear()
        elif type(found) is cached and found.__module__.split(".")[0] in ours:
            found.cache_clear()


class Replica:
    """A node that executes the blocks of a job, with a history of its own."""

    def __init__(self, job: Job, history: str, home: Path | None, seed: int = 0) -> None:
        self._job = job
        self._history = history
        self._home = home
        self._rng = Random(seed)  # noqa: S311 - to be repeated, not secret
        self._app = self._made()

    def _made(self) -> Any:
        from pyibc.chain.app import HostApp

        module, _, name = self._job.plugins.partition(":")
        return HostApp(self._job.config, getattr(import_module(module), name)(), self._home, keep_versions=5)

    def differs_at(self) -> int | None:
        """Return the first height with a different result, or None."""
        self._app.init_chain(self._job.genesis_time_ns, self._job.genesis)
        for height, block in enumerate(self._job.blocks, 1):
            for prepare in self._before(height):
                prepare(block)
            final = self._app.finalize_block(block.time_ns, block.txs, block.next_validators_hash)
            if final.app_hash != block.app_hash or digest(final.outcomes) != block.outcomes:
                return height
            self._app.commit()
            if self._does("restarted", height, 7) and self._home is not None:
                self._app.store.close()
                self._app = self._made()
        self._app.store.close()
        return None

    def _does(self, history: str, height: int, every: int = 1) -> bool:
        if self._history == "at random":
            return self._rng.random() < 1 / (3 * every)
        return self._history == history and height % every == 0

    def _before(self, height: int) -> list[Callable[[Lived], None]]:
        ways: dict[str, tuple[Callable[[Lived], None], int]] = {
            "through the mempool": (self._through_the_mempool, 1),
            "proposed twice": (self._proposed_twice, 1),
            "asked in between": (self._asked, 5),
            "without memory": (lambda _: forget(), 1),
        }
        return [act for name, (act, every) in ways.items() if height > 1 and self._does(name, height, every)]

    def _through_the_mempool(self, block: Lived) -> None:
        """Check, recheck, simulate and propose the block's transactions and corrupted ones."""
        for raw in block.txs:
            spoilt = bytearray(raw)
            spoilt[self._rng.randrange(len(spoilt))] ^= 1 << self._rng.randrange(8)
            for each in (bytes(spoilt), raw):
                self._app.check_tx(each)
                self._app.simulate(each)
            self._app.check_tx(raw, recheck=True)
        self._app.prepare_proposal(list(block.txs), 1 << 22, block.time_ns)
        self._app.process_proposal(list(block.txs), block.time_ns)

    def _proposed_twice(self, block: Lived) -> None:
        """Execute what other rounds of consensus proposed: the same transactions, and another order."""
        self._app.finalize_block(block.time_ns, block.txs, block.next_validators_hash)
        self._app.finalize_block(block.time_ns + 1, block.txs[::-1], block.next_validators_hash)

    def _asked(self, _: Lived) -> None:
        """Send every query with an empty request, and export the state."""
        for path in self._app.grpc_paths():
            self._app.query(path, b"")
        self._app.export_genesis()


def set_caches(size: str) -> None:
    """Limit every cache of the modules that are imported from now on to `size` entries.

    Raises:
        RuntimeError: a module with caches is imported already.
    """
    if any(name.split(".")[0] == "pyibc.core" for name in sys.modules):
        raise RuntimeError("a module with caches is imported already")
    if size == "full":
        return
    made, most = functools.lru_cache, int(size)

    def small(maxsize: Any = 128, typed: bool = False) -> Any:
        return made(most, typed)(maxsize) if callable(maxsize) else made(most, typed)

    functools.lru_cache = small
    functools.cache = small(None)
    from iavl import MultiStore
    from pyibc.chain.tx import ante
    from pyibc.core.memo import ByteBoundedCache, MemoizedFunction

    keep = ByteBoundedCache.add

    def keep_few(self: Any, key: Any, value: Any, weight: int) -> None:
        self.clear()
        if most:
            keep(self, key, value, weight)

    def make(self: Any, given: Any) -> Any:
        made = self.function(given)
        self.clear()
        if most:
            self[given] = made
        return made

    MemoizedFunction.__missing__ = make  # type: ignore[method-assign]
    ByteBoundedCache.add = keep_few  # type: ignore[method-assign]
    ante.SignatureCache.__init__.__defaults__ = (most,)
    options: Any = MultiStore.__init__
    options.__kwdefaults__.update(remember=most, cache_nodes=most)


def main(arguments: Sequence[str]) -> int:
    """Execute a job with a history, and print the result."""
    path, history, size = arguments
    set_caches(size)
    with Path(path).open("rb") as file:
        job: Job = pickle.load(file)  # noqa: S301 - our own
    home = Path(path).with_suffix(f".{history.replace(' ', '-')}-{size}")
    height = Replica(job, history, home).differs_at()
    told = f"{len(job.blocks)} blocks" if height is None else f"differs at {height}"
    sys.stdout.write(told + "\n")
    return 0 if height is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
