"""What lies between a relayer and a chain's node: calls get lost, answers too, others go on meanwhile."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Protocol, TypeVar

from conformance.simulation.damage import NONE, Damage, drawn
from conformance.simulation.lies import untrue_block, untrue_header, untrue_list, untrue_proof
from conformance.simulation.nodes import Node
from iavl import IavlError
from ibc_core.any_message import AnyMessage
from ibc_core.errors import IbcError
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.paths import STORE_NAME
from ibc_relayer.accounts import Accounts
from ibc_relayer.accounts import Node as AccountNode
from ibc_relayer.endpoint import ChainEndpoint, LightBlock, Proven, Tip
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from ibc_relayer.fees import GasPrice
from ibc_relayer.ledger import Ledger
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.wallet import Wallet
from ibc_testing.faults import Crashed
from localnet.endpoint import LocalEndpoint
from localnet.host.historical_store import HistoricalStore

_T = TypeVar("_T")
PRICE = Fraction(1, 1_000)
"""Of a unit of gas, in units of the chain's coin."""


DAMAGED = 0.25
"""Of the answers of a chain's RPC, in rounds in which it is not sound."""


class Weather:
    """What befalls the calls of one relayer, until it is set anew."""

    def __init__(self, meanwhile: Callable[[Random], None], *, lies: bool = True) -> None:
        """`meanwhile` is what others do while a call is under way; `lies`: whether damage may be untrue."""
        self._meanwhile = meanwhile
        self._lies = lies
        self.calm()

    def calm(self) -> None:
        """Nothing befalls them."""
        self.choice = Random(0)  # noqa: S311 - a schedule, not a secret
        self.loss = self.busy = 0  # percent of calls that are lost, or during which others go on
        self.crash_in: int | None = None  # moments until the relayer is killed
        self.unreachable: dict[str, int] = {}  # chain id -> rounds
        self.lag: dict[str, tuple[int, int]] = {}  # chain id -> (rounds, most blocks behind)
        self.lies: dict[str, int] = {}  # chain id -> rounds in which answers may be untrue
        self.damage: dict[str, int] = {}  # chain id -> rounds in which an RPC's answers may be no answers

    def next_round(self) -> None:
        """What lasts for rounds comes to its end."""
        self.unreachable = {each: left - 1 for each, left in self.unreachable.items() if left > 1}
        self.lag = {each: (left - 1, most) for each, (left, most) in self.lag.items() if left > 1}
        self.lies = {each: left - 1 for each, left in self.lies.items() if left > 1}
        self.damage = {each: left - 1 for each, left in self.damage.items() if left > 1}
        self.crash_in, self.loss, self.busy = None, 0, 0

    def passes(self, chain_id: str, what: str) -> None:
        """One moment: before a call arrives, or before its answer does.

        Raises:
            Crashed: the relayer is killed.
            EndpointUnavailable: it gets lost.
        """
        if self.crash_in is not None:
            if self.crash_in == 0:
                self.crash_in = None
                raise Crashed(f"{what} of {chain_id}")
            self.crash_in -= 1
        if chain_id in self.unreachable or self.choice.randrange(100) < self.loss:
            raise EndpointUnavailable(chain_id, f"{what} got lost")
        if self.choice.randrange(100) < self.busy:
            self._meanwhile(self.choice)

    def behind(self, chain_id: str) -> int:
        """How many blocks the node that answers this call is behind: there is one behind each address."""
        _, most = self.lag.get(chain_id, (0, 0))
        return self.choice.randint(0, most) if most else 0

    def is_lie(self, chain_id: str, share: float) -> bool:
        """Whether who answers lies this time: with this share of a liar's answers."""
        return chain_id in self.lies and self.choice.random() < share

    def damage_of(self, chain_id: str) -> Damage:
        """What becomes of a call of an RPC that arrives, or of its answer."""
        is_damaged = chain_id in self.damage and self.choice.random() < DAMAGED
        return drawn(self.choice, lies=self._lies) if is_damaged else NONE


def gas_of(node: Node) -> GasConfig:
    """What relayers pay there."""
    return GasConfig(price=GasPrice(PRICE, node.terms.denom))


class Reach(Protocol):
    """How a relayer's processes reach a chain."""

    def begin(self, ledger: Ledger) -> ChainEndpoint:
        """Of another process, which remembers nothing and has a ledger; raises EndpointUnavailable."""


class SimulatedEndpoint:
    """A node as a relayer reaches it."""

    def __init__(self, node: Node, wallet: Wallet, weather: Weather) -> None:
        """`begin` comes before anything is submitted."""
        self._node = node
        self._wallet = wallet
        self._weather = weather

    def begin(self, ledger: Ledger) -> "SimulatedEndpoint":
        """Another process of the relayer: it remembers nothing, and has a ledger."""
        self._ledger = ledger
        gas = gas_of(self._node)
        self._accounts = Accounts([self._wallet], self.chain_id, gas, ledger)
        return self

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self._node.terms.chain_id

    @property
    def signer(self) -> str:
        """The wallet's address."""
        return self._wallet.address.text

    def tip(self) -> Tip:
        """The last block that the answering node has."""

        def answer(inner: LocalEndpoint, seen: int) -> Tip:
            return Tip(seen, inner.chain.record(seen).header.time_ns)

        return self._call("tip", answer)

    def block(self, height: int) -> CommittedBlock:
        """A committed block; raises EndpointRefused where the answering node has it not."""
        true = self._call("block", lambda inner, seen: self._known(inner.block, height, seen))
        block = self._told(true, untrue_block, 0.5)
        self._ledger.observe(block)
        return block

    def light_block(self, height: int) -> LightBlock:
        """Header, commit and validators; raises EndpointRefused where the answering node has it not."""
        light = self._call("light_block", lambda inner, seen: self._known(inner.light_block, height, seen))
        return self._told(light, untrue_header, 0.1)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """The value of a key after the last block that the answering node has."""
        value = self._call(
            "get", lambda inner, seen: HistoricalStore(inner.chain.app.store, store, seen).get(key)
        )
        return self._told(value, lambda *_: None, 0.05)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """A value with its proof; raises EndpointRefused where the answering node has no such block."""
        proven = self._call(
            "prove", lambda inner, seen: self._known(lambda at: inner.prove(key, at, store), height, seen)
        )
        return self._told(proven, untrue_proof, 0.1)

    def grpc(self, path: str, request: bytes) -> bytes:
        """A query at the last block that the answering node has."""
        answer = self._call("grpc", lambda inner, seen: inner.chain.app.grpc(path, request, seen))
        return self._told(answer, lambda said, _: untrue_list(path, said), 0.25)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """One transaction, signed, paid and looked for as `RpcEndpoint.submit` does it."""
        before = self.tip().height
        sent = self._accounts.broadcast(messages, AccountNode(self.grpc, self._broadcast, before))
        if sent.refusal is not None:
            return sent.refusal
        outcome = None
        try:
            outcome = self._included(sent.raw, before)
        finally:
            self._accounts.done(sent, outcome)
        return outcome

    def _broadcast(self, raw: bytes) -> TxOutcome:
        """CheckTx's answer; what the mempool takes is in the next block."""

        def check(inner: LocalEndpoint, _: int) -> TxOutcome:
            checked = inner.chain.submit(raw)
            if not checked.code:
                inner.chain.make_block()
            return checked

        return self._call("broadcast", check)

    def _included(self, raw: bytes, before: int) -> TxOutcome:
        for height in range(before + 1, self.tip().height + 1):
            for outcome in self.block(height).txs:
                if outcome.tx == raw:
                    return outcome
        raise EndpointUnavailable(self.chain_id, "no block has the transaction")

    def wait(self, height: int) -> None:
        """Makes the blocks that lack."""
        self._call("wait", lambda inner, _: inner.wait(height))

    def _told(self, answer: _T, lie: Callable[[_T, Random], _T], share: float) -> _T:
        """An answer as the relayer gets it."""
        weather = self._weather
        return lie(answer, weather.choice) if weather.is_lie(self.chain_id, share) else answer

    def _known(self, ask: Callable[[int], _T], height: int, seen: int) -> _T:
        if height > seen:
            raise EndpointRefused(self.chain_id, f"height {height}", f"the last block is {seen}")
        return ask(height)

    def _call(self, name: str, run: Callable[[LocalEndpoint, int], _T]) -> _T:
        return reached(
            self._node,
            self._weather,
            name,
            lambda seen: run(LocalEndpoint(self._node.chain, self._wallet), seen),
        )


def reached(node: Node, weather: Weather, name: str, run: Callable[[int], _T]) -> _T:
    """What a call to a node comes to.

    Args:
        node: of a chain.
        weather: befalls the call, and its answer.
        name: of the call.
        run: answers it, from a node that is at the height it is given.

    Raises:
        Crashed: the relayer is killed.
        EndpointUnavailable: call or answer get lost, the node is down, or dies of it.
        IbcError, IavlError, OSError: what `run` raises.
    """
    chain_id = node.terms.chain_id
    weather.passes(chain_id, name)
    if not node.is_up:
        raise EndpointUnavailable(chain_id, "is down")
    seen = max(node.chain.first_height, node.chain.height - weather.behind(chain_id))
    try:
        answer = run(seen)
    except Crashed as kill:  # the node's process, not the relayer's
        node.stop()
        raise EndpointUnavailable(chain_id, f"died: {kill.point}") from kill
    except (IbcError, IavlError, OSError) as error:
        if node.gave_up():
            raise EndpointUnavailable(chain_id, f"died: {error}") from error
        weather.passes(chain_id, f"the refusal of {name}")
        raise
    node.announce()
    weather.passes(chain_id, f"the answer to {name}")
    return answer
