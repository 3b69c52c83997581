"""The chains of a soak, and the nodes behind each one's address, which are not equally good."""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from conformance.simulation.nodes import Terms
from ibc_core.any_message import AnyMessage
from ibc_core.coin import coin
from ibc_core.config import Config
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.paths import STORE_NAME
from ibc_module.plugin import plugins
from ibc_relayer.endpoint import LightBlock, Proven, Tip
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from ibc_relayer.wallet import Wallet
from ibc_testing.clock import SECOND, START_NS
from ibc_testing.numbers import Numbers
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.genesis import Genesis, funded
from localnet.host.config import HostConfig
from localnet.host.historical_store import HistoricalStore

_T = TypeVar("_T")
RELAYER, USER = "relayer", "user"
SUPPLY = 10**15
CALL_S = 0.04  # of an answer
DOWN_S = 15.0  # until a call is given up
KEPT = 200  # blocks of a pruned node
DENOMS = ("uone", "utwo", "uthree", "ufour", "ufive")


class Hours:
    """The time of the soak, seconds since its start; whoever is at work moves it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def passes(self, seconds: float) -> None:
        """The one at work takes so long."""
        self.now_s += seconds


class Fault(NamedTuple):
    """What is wrong with a chain's address, from one time to another."""

    kind: str  # down, lag, lie, pruned, skew, reset
    chain: int
    first_s: float
    last_s: float


class SoakChain:
    """A chain that makes blocks as its time passes."""

    def __init__(self, number: int, hours: Hours) -> None:
        self.number = number
        self.hours = hours
        self.skew_s = 0.0
        self.terms = Terms(
            f"soak-{'abcde'[number]}-{number + 1}", f"pre{'abcde'[number]}", DENOMS[number], Numbers()
        )
        self._last_ns = START_NS
        self.chain = self.opened()

    @property
    def wallet(self) -> Wallet:
        """The relayer's."""
        return self.terms.wallet(RELAYER)

    def opened(self) -> LocalChain:
        """The chain from its genesis on, in memory."""
        rich = (coin(self.terms.denom, SUPPLY),)
        state = funded((self.terms.wallet(name).address.text, rich) for name in (USER, RELAYER))
        return LocalChain(
            self.terms.chain_id,
            plugins=plugins(Config(account_prefix=self.terms.prefix)),
            config=HostConfig(self.terms.chain_id, self.terms.prefix),
            genesis=Genesis({**state, **self.terms.numbers.app_state()}, START_NS, 1),
            clock=self._clock,
        )

    def _clock(self) -> int:
        now_ns = START_NS + int((self.hours.now_s + self.skew_s) * SECOND)
        self._last_ns = max(self._last_ns + 1_000_000, now_ns)
        return self._last_ns


class Address:
    """A chain as a relayer reaches it (`ibc_relayer.endpoint.ChainEndpoint`): two nodes behind an address."""

    def __init__(self, chain: SoakChain, faults: Sequence[Fault], seed: int) -> None:
        self._chain = chain
        self._faults = [fault for fault in faults if fault.chain == chain.number]
        self._choice = Random(seed)  # noqa: S311 - a schedule, not a secret
        self._other = chain.opened()
        for _ in range(5):  # another chain of that id: younger, with other blocks
            self._other.make_block()
        self.calls = 0

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self._chain.terms.chain_id

    @property
    def signer(self) -> str:
        """The relayer's address."""
        return self._chain.wallet.address.text

    def tip(self) -> Tip:
        """The last block that the answering node has."""
        return self._call(lambda inner, seen: Tip(seen, inner.chain.record(seen).header.time_ns))

    def block(self, height: int) -> CommittedBlock:
        """A committed block; the lying node tells of no events."""
        block = self._call(lambda inner, seen: self._known(inner.block, height, seen))
        if self._is("lie") and self._choice.random() < 0.5:
            return block._replace(txs=tuple(tx._replace(events=()) for tx in block.txs))
        return block

    def light_block(self, height: int) -> LightBlock:
        """Header, commit and validators."""
        return self._call(lambda inner, seen: self._known(inner.light_block, height, seen))

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """The value of a key after the last block that the answering node has."""
        return self._call(lambda inner, seen: HistoricalStore(inner.chain.app.store, store, seen).get(key))

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """A value with its proof."""
        return self._call(
            lambda inner, seen: self._known(lambda at: inner.prove(key, at, store), height, seen)
        )

    def grpc(self, path: str, request: bytes) -> bytes:
        """A query at the last block that the answering node has."""
        return self._call(lambda inner, seen: inner.chain.app.grpc(path, request, seen))

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """One transaction, in a block of its own."""
        return self._call(lambda inner, _: inner.submit(messages))

    def wait(self, height: int) -> None:
        """Makes the blocks that lack."""
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
