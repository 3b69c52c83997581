"""Chains that run in real time, and the RPC of two nodes each, one of which has faults."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from random import Random
from typing import Any

from conformance.simulation.nodes import ChainIdentity
from conformance.simulation.rpc import answered_at
from conformance.soak.chains import DENOMS, KEPT, SUPPLY, Fault
from localnet.chain import LocalChain
from localnet.node import BlockClock
from localnet.rpc.methods import Methods, internal
from localnet.rpc.server import CallRunner, RpcServer, failure
from localnet.settings import Genesis, funded
from pyibc.chain.config import HostConfig
from pyibc.core.coin import coin
from pyibc.core.host.context import Config
from pyibc.default_plugins import plugins
from pyibc.testing.pair import Numbers

Json = dict[str, Any]
LAGGING, LYING = 0.1, 0.5
"""Shares of a node's answers that are delayed or false, during such a fault."""
SKEW_NS = 60 * 10**9
_POLL_S = 0.02


class LiveChain:
    """A chain in this process, and another one with its id, for the fault of a reset chain."""

    def __init__(self, number: int, users: Sequence[str]) -> None:
        """Create it; `users` have accounts; every chain has its own prefix and coin."""
        letter = "abcde"[number]
        self.number = number
        self.identity = ChainIdentity(
            f"live-{letter}-{number + 1}", f"pre{letter}", DENOMS[number], Numbers()
        )
        self.skew_ns = 0
        self._users = users
        self._last_ns = 0
        self.chain = self._opened()
        self.other = self._opened()
        for _ in range(5):
            self.other.make_block()

    def close(self) -> None:
        """Close both."""
        self.chain.close()
        self.other.close()

    def _opened(self) -> LocalChain:
        rich = (coin(self.identity.denom, SUPPLY),)
        state = funded((self.identity.wallet(name).address.text, rich) for name in self._users)
        return LocalChain(
            self.identity.chain_id,
            plugins=plugins(Config(account_prefix=self.identity.prefix)),
            config=HostConfig(self.identity.chain_id, self.identity.prefix),
            genesis=Genesis({**state, **self.identity.numbers.app_state()}, time.time_ns(), 1),
            clock=self._clock,
        )

    def _clock(self) -> int:
        self._last_ns = max(self._last_ns + 1_000_000, time.time_ns() + self.skew_ns)
        return self._last_ns


class NodeAnswers(CallRunner):
    """RPC answers of one node of a chain, subject to its current faults."""

    def __init__(
        self, chain: LiveChain, faults: Callable[[], Iterable[Fault]], url: str, *, is_good: bool
    ) -> None:
        """Create it; `faults` returns the chain's current faults. A good node neither lies nor prunes."""
        super().__init__(Methods(chain.chain, url))
        self._chain = chain
        self._faults = faults
        self._is_good = is_good
        self._own, self._others = (CallRunner(Methods(each, url)) for each in (chain.chain, chain.other))
        self._choice = Random(chain.number * 2 + is_good)  # noqa: S311 - a schedule, not a secret
        self._lock = threading.Lock()

    def answer(self, asked: object) -> Json:
        """Return the response to one call; raises ConnectionAbortedError while the node is down."""
        kinds = {each.kind for each in self._faults()}
        if "down" in kinds:
            raise ConnectionAbortedError(f"{self._chain.identity.chain_id} is down")
        if "reset" in kinds:
            return self._others.answer(asked)
        if not isinstance(asked, dict):
            return self._own.answer(asked)
        last = self._chain.chain.height
        seen = max(1, last - self._behind()) if "lag" in kinds else last
        if self._is_good:
            return answered_at(self._own, asked, seen)
        if "pruned" in kinds and 0 < _height(asked) < last - KEPT:
            reason = f"height {_height(asked)} is not available, lowest height is {last - KEPT}"
            return failure(asked.get("id"), internal(reason))
        return self._answer_to(asked, seen, lies="lie" in kinds)

    def _answer_to(self, asked: Json, seen: int, *, lies: bool) -> Json:
        said = answered_at(self._own, asked, seen)
        if lies and asked.get("method") == "block_results" and "result" in said and self._draws() < LYING:
            for each in said["result"]["txs_results"] or ():
                each["events"] = []
        return said

    def _behind(self) -> int:
        with self._lock:
            return self._choice.randint(1, 3) if self._choice.random() < LAGGING else 0

    def _draws(self) -> float:
        with self._lock:
            return self._choice.random()


def _height(asked: Json) -> int:
    text = str((asked.get("params") or {}).get("height") or 0)
    return int(text) if text.isdecimal() else 0


@contextmanager
def served(
    chains: Sequence[LiveChain], faults: Callable[[int], Iterable[Fault]], block_s: float
) -> Iterator[list[list[str]]]:
    """Make blocks and serve two nodes per chain; yield their URLs by chain, the good node last.

    Args:
        chains: The chains, which are closed at the end.
        faults: Returns the current faults of a chain, by its number.
        block_s: Seconds between blocks.
    """
    with ExitStack() as stack:
        urls = []
        for chain in chains:
            stack.enter_context(closing(chain))
            urls.append([stack.enter_context(_node(chain, faults, is_good=good)) for good in (False, True)])
        for chain in chains:
            stack.enter_context(_blocks(chain, block_s))
        yield urls


@contextmanager
def _node(chain: LiveChain, faults: Callable[[int], Iterable[Fault]], *, is_good: bool) -> Iterator[str]:
    server = RpcServer(chain.chain)
    server.answers = NodeAnswers(chain, lambda: faults(chain.number), server.url, is_good=is_good)
    server.start(_POLL_S)
    try:
        yield server.url
    finally:
        server.stop()


@contextmanager
def _blocks(chain: LiveChain, block_s: float) -> Iterator[None]:
    clock = BlockClock(chain.chain, block_s)
    maker = threading.Thread(target=clock.run, daemon=True)
    maker.start()
    try:
        yield
    finally:
        clock.stopping.set()
        maker.join()
