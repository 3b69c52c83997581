"""Chains of a soak test, and the two nodes behind each address, one of which has faults."""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from conformance.simulation.nodes import ChainIdentity
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.chain.config import HostConfig
from pyibc.chain.queries.historical_store import HistoricalStore
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.host.context import Config
from pyibc.core.paths import STORE_NAME
from pyibc.default_plugins import plugins
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.chain.values import LightBlock, Proven, Tip
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import SECOND, START_NS, Numbers

_T = TypeVar("_T")
RELAYER, USER = "relayer", "user"
SUPPLY = 10**15
CALL_S = 0.04  # duration of a response
DOWN_S = 15.0  # timeout of a call
KEPT = 200  # retained blocks of a pruned node
DENOMS = ("uone", "utwo", "uthree", "ufour", "ufive")


class Hours:
    """Simulated time, seconds since the start; advanced by the active worker."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def passes(self, seconds: float) -> None:
        """Advance the time by the duration of an operation."""
        self.now_s += seconds


class Fault(NamedTuple):
    """A fault of a chain's address during a period."""

    kind: str  # down, lag, lie, pruned, skew, reset
    chain: int
    first_s: float
    last_s: float


class SoakChain:
    """A chain that makes blocks as its time advances."""

    def __init__(self, number: int, hours: Hours) -> None:
        self.number = number
        self.hours = hours
        self.skew_s = 0.0
        self.identity = ChainIdentity(
            f"soak-{'abcde'[number]}-{number + 1}", f"pre{'abcde'[number]}", DENOMS[number], Numbers()
        )
        self._last_ns = START_NS
        self.chain = self.opened()

    @property
    def wallet(self) -> Wallet:
        """Return the relayer's wallet."""
        return self.identity.wallet(RELAYER)

    def opened(self) -> LocalChain:
        """Open the chain from its genesis, in memory."""
        rich = (coin(self.identity.denom, SUPPLY),)
        state = funded((self.identity.wallet(name).address.text, rich) for name in (USER, RELAYER))
        return LocalChain(
            self.identity.chain_id,
            plugins=plugins(Config(account_prefix=self.identity.prefix)),
            config=HostConfig(self.identity.chain_id, self.identity.prefix),
            genesis=Genesis({**state, **self.identity.numbers.app_state()}, START_NS, 1),
            clock=self._clock,
        )

    def _clock(self) -> int:
        now_ns = START_NS + int((self.hours.now_s + self.skew_s) * SECOND)
        self._last_ns = max(self._last_ns + 1_000_000, now_ns)
        return self._last_ns


class Address:
    """A chain as reached by a relayer (`ChainEndpoint`): two nodes behind one address."""

    def __init__(self, chain: SoakChain, faults: Sequence[Fault], seed: int) -> None:
        self._chain = chain
        self._faults = [fault for fault in faults if fault.chain == chain.number]
        self._choice = Random(seed)  # noqa: S311 - a schedule, not a secret
        self._other = chain.opened()
        for _ in range(5):  # another chain with this id: younger, with other blocks
            self._other.make_block()
        self.calls = 0

    extras = NO_EXTRAS

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self._chain.identity.chain_id

    @property
    def signer(self) -> str:
        """The relayer's address."""
        return self._chain.wallet.address.text

    def tip(self) -> Tip:
        """Return the last block of the answering node."""
        return self._call(lambda inner, seen: Tip(seen, inner.chain.record(seen).header.time_ns))

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block; the lying node omits its events."""
        block = self._call(lambda inner, seen: self._known(inner.block, height, seen))
        if self._is("lie") and self._choice.random() < 0.5:
            return block._replace(txs=tuple(tx._replace(events=()) for tx in block.txs))
        return block

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators."""
        return self._call(lambda inner, seen: self._known(inner.light_block, height, seen))

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return the value of a key after the last block of the answering node."""
        return self._call(lambda inner, seen: HistoricalStore(inner.chain.app.store, store, seen).get(key))

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return a value with its proof."""
        return self._call(
            lambda inner, seen: self._known(lambda at: inner.prove(key, at, store), height, seen)
        )

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a query at the last block of the answering node."""
        return self._call(lambda inner, seen: inner.chain.app.grpc(path, request, seen))

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Execute one transaction in a block of its own."""
        return self._call(lambda inner, _: inner.submit(messages))

    def wait(self, height: int) -> None:
        """Make the missing blocks."""
        self._call(lambda inner, _: inner.wait(height))

    def _is(self, kind: str) -> bool:
        now_s = self._chain.hours.now_s
        return any(fault.kind == kind and fault.first_s <= now_s < fault.last_s for fault in self._faults)

    def _known(self, ask: Callable[[int], _T], height: int, seen: int) -> _T:
        if height > seen:
            raise EndpointRefused(self.chain_id, f"height {height}", f"the last block is {seen}")
        if self._is("pruned") and height < seen - KEPT:
            raise EndpointRefused(self.chain_id, f"height {height}", f"lowest height is {seen - KEPT}")
        return ask(height)

    def _call(self, run: Callable[[LocalEndpoint, int], _T]) -> _T:
        self.calls += 1
        self._chain.hours.passes(CALL_S)
        if self._is("down"):
            self._chain.hours.passes(DOWN_S)
            raise EndpointUnavailable(self.chain_id, "is down")
        chain = self._other if self._is("reset") else self._chain.chain
        behind = self._choice.randint(1, 3) if self._is("lag") and self._choice.random() < 0.1 else 0
        seen = max(chain.first_height, chain.height - behind)
        return run(LocalEndpoint(chain, self._chain.wallet), seen)
