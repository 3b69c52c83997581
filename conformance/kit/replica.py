"""Replicas of a chain that lived otherwise, and must come to the same: in this process, or in one of its own.

    python -m conformance.kit.replica JOB HISTORY CACHE

executes the blocks of JOB (a pickled `Job`) anew. CACHE says how many entries the caches of that process
hold: 0, 1, or `full`. It ends with 0 and says how many blocks it took, or with 1 and the first height at
which it differs.
"""

import functools
import gc
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

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
    """A block, and what came of it."""

    time_ns: int
    next_validators_hash: bytes
    txs: tuple[bytes, ...]
    app_hash: bytes
    outcomes: bytes  # `digest` of them


def digest(outcomes: Sequence[object]) -> bytes:
    """What transactions came to: codes, gas, events, responses and texts."""
    return sha256(repr(tuple(outcomes)).encode()).digest()


class Job(NamedTuple):
    """What a replica is made of and has to execute."""

    config: Any  # a HostConfig
    plugins: str  # `module:function` that makes them
    genesis_time_ns: int
    genesis: Mapping[str, Any]
    blocks: Sequence[Lived]


def forget() -> None:
    """Empties every cache of the process."""
    from ibc_core.kept import Kept

    cached = type(functools.lru_cache(1)(len))
    ours = {"ibc_core", "ibc_module", "ibc_proto", "keepers", "handlers", "light_client", "localnet", "iavl"}
    for found in gc.get_objects():
        if isinstance(found, Kept):
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
        from localnet.host.app import HostApp

        module, _, name = self._job.plugins.partition(":")
        return HostApp(self._job.config, getattr(import_module(module), name)(), self._home, keep_versions=5)

    def differs_at(self) -> int | None:
        """The first height at which the replica comes to something else; None: it never does."""
        self._app.init_chain(self._job.genesis_time_ns, self._job.genesis)
        for height, block in enumerate(self._job.blocks, 1):
            for prepare in self._before(height):
                prepare(block)
            final = self._app.finalize_block(block.time_ns, block.txs, block.next_validators_hash)
            if final.app_hash != block.app_hash or digest(final.outcomes) != block.outcomes:
                return height
            self._app.commit(b"time %d" % block.time_ns)
            if self._does("restarted", height, 7) and self._home is not None:
                self._app.store.close()
                self._app = self._made()
                self._app.resume(block.time_ns)
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
        """The block's transactions, and spoilt ones, are checked, checked again, simulated and proposed."""
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
        """What other rounds of consensus proposed was executed before: the same, and in another order."""
        self._app.finalize_block(block.time_ns, block.txs, block.next_validators_hash)
        self._app.finalize_block(block.time_ns + 1, block.txs[::-1], block.next_validators_hash)

    def _asked(self, _: Lived) -> None:
        """Every query is asked with an empty request, and the state is exported."""
        for path in self._app.grpc_paths():
            self._app.query(path, b"")
        self._app.export_genesis()


def set_caches(size: str) -> None:
    """Makes every cache of what is imported from now on hold `size` entries.

    Raises:
        RuntimeError: what has caches was imported already.
    """
    if any(name.split(".")[0] == "ibc_core" for name in sys.modules):
        raise RuntimeError("the caches are made already")
    if size == "full":
        return
    made, most = functools.lru_cache, int(size)

    def small(maxsize: Any = 128, typed: bool = False) -> Any:
        return made(most, typed)(maxsize) if callable(maxsize) else made(most, typed)

    functools.lru_cache = small
    functools.cache = small(None)
    from iavl import MultiStore
    from ibc_core.kept import Kept, KeptResults
    from localnet.host import decoded_tx, signature_cache

    keep = Kept.keep

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

    KeptResults.__missing__ = make  # type: ignore[method-assign]
    Kept.keep = keep_few  # type: ignore[method-assign]
    decoded_tx.DecodedTxCache.__init__.__defaults__ = (most,)
    signature_cache.SignatureCache.__init__.__defaults__ = (most,)
    options: Any = MultiStore.__init__
    options.__kwdefaults__.update(remember=most, cache_nodes=most)


def main(arguments: Sequence[str]) -> int:
    """Executes a job with a history; says what came of it."""
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
