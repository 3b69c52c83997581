"""Network between relayers and nodes: lost calls, lagging and lying nodes, concurrent actions."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Protocol, TypeVar

from conformance.simulation.damage import NONE, Damage, drawn
from conformance.simulation.false_answers import false_block, false_header, false_list, false_proof
from conformance.simulation.nodes import Node
from iavl import IavlError
from localnet.endpoint import LocalEndpoint
from pyibc.chain.queries.historical_store import HistoricalStore
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import IbcError
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.endpoint import NO_EXTRAS, ChainEndpoint
from pyibc.relayer.chain.values import LightBlock, Proven, Query, Tip
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.accounts import SigningAccounts
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.refusals import NodeAccess as AccountNode
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.faults import Crashed

_T = TypeVar("_T")
PRICE = Fraction(1, 1_000)
"""Gas price, in units of the chain's coin."""


DAMAGED = 0.25
"""Share of corrupted RPC responses, in rounds with corruption."""


class CallFaults:
    """Faults of the calls of one relayer, until changed."""

    def __init__(self, meanwhile: Callable[[Random], None], *, lies: bool = True) -> None:
        """Create it; `meanwhile` is called during a call; `lies` allows corruption into false answers."""
        self._meanwhile = meanwhile
        self._lies = lies
        self.clear()

    def clear(self) -> None:
        """Remove all faults."""
        self.choice = Random(0)  # noqa: S311 - a schedule, not a secret
        self.loss = self.busy = 0  # percentage of calls that are lost, or with concurrent actions
        self.crash_in: int | None = None  # moments until the relayer is killed
        self.unreachable: dict[str, int] = {}  # chain id -> rounds
        self.lag: dict[str, tuple[int, int]] = {}  # chain id -> (rounds, maximum number of blocks behind)
        self.lies: dict[str, int] = {}  # chain id -> rounds in which answers may be false
        self.damage: dict[str, int] = {}  # chain id -> rounds in which RPC responses may be corrupted

    def next_round(self) -> None:
        """Begin a round: count down the faults that last for rounds."""
        self.unreachable = {each: left - 1 for each, left in self.unreachable.items() if left > 1}
        self.lag = {each: (left - 1, most) for each, (left, most) in self.lag.items() if left > 1}
        self.lies = {each: left - 1 for each, left in self.lies.items() if left > 1}
        self.damage = {each: left - 1 for each, left in self.damage.items() if left > 1}
        self.crash_in, self.loss, self.busy = None, 0, 0

    def passes(self, chain_id: str, what: str) -> None:
        """Pass a moment, before a call or its response arrives.

        Raises:
            Crashed: the relayer is killed.
            EndpointUnavailable: the call or response is lost.
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
        """Return the lag, in blocks, of the node that answers this call.

        An address may have several nodes.
        """
        _, most = self.lag.get(chain_id, (0, 0))
        return self.choice.randint(0, most) if most else 0

    def is_lie(self, chain_id: str, share: float) -> bool:
        """Return whether this answer is false; `share` is the share of false answers of a lying node."""
        return chain_id in self.lies and self.choice.random() < share

    def damage_of(self, chain_id: str) -> Damage:
        """Return the corruption of an RPC call or its response."""
        is_damaged = chain_id in self.damage and self.choice.random() < DAMAGED
        return drawn(self.choice, lies=self._lies) if is_damaged else NONE


def gas_of(node: Node) -> GasConfig:
    """Return the gas configuration of relayers on a chain."""
    return GasConfig(price=GasPrice(PRICE, node.identity.denom))


class Connection(Protocol):
    """Connection of a relayer's processes to a chain."""

    def begin(self, ledger: Ledger) -> ChainEndpoint:
        """Return the endpoint of a new process without memory, with a ledger; raises EndpointUnavailable."""


class SimulatedEndpoint:
    """A node as seen by a relayer."""

    def __init__(self, node: Node, wallet: Wallet, call_faults: CallFaults) -> None:
        """Create it; call `begin` before anything is submitted."""
        self._node = node
        self._wallet = wallet
        self._call_faults = call_faults

    def begin(self, ledger: Ledger) -> "SimulatedEndpoint":
        """Begin a new process of the relayer, without memory, with a ledger."""
        self._ledger = ledger
        gas = gas_of(self._node)
        self._accounts = SigningAccounts([self._wallet], self.chain_id, gas, ledger, clock=lambda: 0.0)
        return self

    extras = NO_EXTRAS

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self._node.identity.chain_id

    @property
    def signer(self) -> str:
        """The wallet's address."""
        return self._wallet.address.text

    def tip(self) -> Tip:
        """Return the last block of the answering node."""

        def answer(inner: LocalEndpoint, seen: int) -> Tip:
            return Tip(seen, inner.chain.record(seen).header.time_ns)

        return self._call("tip", answer)

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block; raises EndpointRefused if the answering node does not have it."""
        true = self._call("block", lambda inner, seen: self._known(inner.block, height, seen))
        block = self._true_or_false(true, false_block, 0.5)
        self._ledger.observe(block)
        return block

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators.

        Raises EndpointRefused if the answering node does not have them.
        """
        light = self._call("light_block", lambda inner, seen: self._known(inner.light_block, height, seen))
        return self._true_or_false(light, false_header, 0.1)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return the value of a key after the last block of the answering node."""
        value = self._call(
            "get", lambda inner, seen: HistoricalStore(inner.chain.app.store, store, seen).get(key)
        )
        return self._true_or_false(value, lambda *_: None, 0.05)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return a value with its proof.

        Raises EndpointRefused if the answering node does not have the block.
        """
        proven = self._call(
            "prove", lambda inner, seen: self._known(lambda at: inner.prove(key, at, store), height, seen)
        )
        return self._true_or_false(proven, false_proof, 0.1)

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a query at the last block of the answering node."""
        answer = self._call("grpc", lambda inner, seen: inner.chain.app.grpc(path, request, seen))
        return self._true_or_false(answer, lambda said, _: false_list(path, said), 0.25)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Submit one transaction: signed, paid and confirmed as in `RpcEndpoint.submit`."""
        before = self.tip().height
        sent = self._accounts.broadcast(messages, AccountNode(Query(self.grpc), self._broadcast, before))
        if sent.refusal is not None:
            return sent.refusal
        outcome = None
        try:
            outcome = self._included(sent.raw, before)
        finally:
            self._accounts.done(sent, outcome)
        return outcome

    def _broadcast(self, raw: bytes) -> TxOutcome:
        """Return the result of CheckTx; an accepted transaction is in the next block."""

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
        """Make the missing blocks."""
        self._call("wait", lambda inner, _: inner.wait(height))

    def _true_or_false(self, answer: _T, lie: Callable[[_T, Random], _T], share: float) -> _T:
        """Return an answer as the relayer receives it, true or false."""
        call_faults = self._call_faults
        return lie(answer, call_faults.choice) if call_faults.is_lie(self.chain_id, share) else answer

    def _known(self, ask: Callable[[int], _T], height: int, seen: int) -> _T:
        if height > seen:
            raise EndpointRefused(self.chain_id, f"height {height}", f"the last block is {seen}")
        return ask(height)

    def _call(self, name: str, run: Callable[[LocalEndpoint, int], _T]) -> _T:
        return reached(
            self._node,
            self._call_faults,
            name,
            lambda seen: run(LocalEndpoint(self._node.chain, self._wallet), seen),
        )


def reached(node: Node, call_faults: CallFaults, name: str, run: Callable[[int], _T]) -> _T:
    """Run a call to a node through the network.

    Args:
        node: The node.
        call_faults: Faults of the call and its response.
        name: Name of the call.
        run: Returns the answer of a node at the given height.

    Raises:
        Crashed: the relayer is killed.
        EndpointUnavailable: call or response are lost, or the node is down or crashes.
        IbcError, IavlError, OSError: raised by `run`.
    """
    chain_id = node.identity.chain_id
    call_faults.passes(chain_id, name)
    if not node.is_up:
        raise EndpointUnavailable(chain_id, "is down")
    seen = max(node.chain.first_height, node.chain.height - call_faults.behind(chain_id))
    try:
        answer = run(seen)
    except Crashed as kill:  # the node's process crashes, not the relayer's
        node.stop()
        raise EndpointUnavailable(chain_id, f"died: {kill.point}") from kill
    except (IbcError, IavlError, OSError) as error:
        if node.halted_by_disk():
            raise EndpointUnavailable(chain_id, f"died: {error}") from error
        call_faults.passes(chain_id, f"the refusal of {name}")
        raise
    node.announce()
    call_faults.passes(chain_id, f"the answer to {name}")
    return answer
