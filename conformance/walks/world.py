"""Two chains, their shared time, and a relayer's view of both."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.kit.encode import to_any
from conformance.kit.solo_machine import SoloMachine
from conformance.walks import genesis, prover, record, view
from conformance.walks.chain import Action, Block, Transaction, WalkChain
from conformance.walks.choices import Choices
from conformance.walks.packet_log import PacketLog
from conformance.walks.prover import Prover
from light_client.tendermint.types import FLAG_ABSENT, FLAG_NIL
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.types import LOCALHOST
from pyibc.core.identifiers import LOCALHOST_CLIENT_ID
from pyibc.testing.pair import SECOND, START_NS

PEOPLE = ("relayer", "alice", "bob", "mallory")


class World:
    """State of a walk.

    Args:
        choices: Source of all random decisions.
        seed: Seed for validators' and solo machines' keys.
        past: Entries of the `ibc` stores in addition to a new chain's.
    """

    def __init__(self, choices: Choices, seed: str, past: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self.choices = choices
        self.seed = seed
        self.setting_up = True
        """True during the setup of the walk, which must succeed."""
        self.people = {name: genesis.account(name) for name in PEOPLE}
        self.now_ns = START_NS + choices.below(SECOND)
        holders = list(self.people.values())
        names = (f"alpha{choices.below(10)}-1", f"beta{choices.below(10)}-{choices.between(1, 3)}")
        self.chains = tuple(WalkChain(name, self.now_ns, holders, seed, past) for name in names)
        self.packet_logs = {chain.name: PacketLog() for chain in self.chains}
        self.machines: dict[tuple[str, str], SoloMachine] = {}
        """Solo machines by chain and client."""
        self.history: list[AnyMessage] = []
        """Successful messages."""
        self.steps: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        """CheckTx calls and their results."""

    @property
    def relayer(self) -> str:
        """Address of the relayer."""
        return self.people["relayer"]

    def someone(self) -> str:
        """Return the address of a random account."""
        return self.choices.pick(list(self.people.values()))

    def other(self, chain: WalkChain) -> WalkChain:
        """Return the other chain."""
        return self.chains[1] if chain is self.chains[0] else self.chains[0]

    # -- blocks

    def run(
        self, chain: WalkChain, txs: Sequence[Transaction] = (), actions_before: Sequence[Action] = ()
    ) -> Block:
        """Make the next block of a chain."""
        self.now_ns += self.choices.between(1, 6) * SECOND + self.choices.below(1000)
        block, step = chain.run(self.now_ns, txs, actions_before, self._flags(chain))
        step["n"] = len(self.steps)
        self.steps.append(step)
        self.packet_logs[chain.name].learn(block.events)
        for tx, result in zip(txs, block.results, strict=True):
            if result.error is None:
                self.history += tx.messages
        return block

    def send(self, chain: WalkChain, *messages: Any, note: str = "") -> Block:
        """Make a block with one transaction."""
        packed = tuple(to_any(message) for message in messages)
        return self.run(chain, [Transaction(packed, note)])

    def check_tx(self, chain: WalkChain, tx: Transaction, *, recheck: bool = False) -> None:
        """Call CheckTx and record the result."""
        error = chain.host.check([(each.type_url, each.value) for each in tx.messages], recheck)
        asked = record.check(tx.messages, tx.note, error, recheck=recheck)
        self.checks.append({"chain": chain.name, "after_step": len(self.steps) - 1, **asked})

    def _flags(self, chain: WalkChain) -> Mapping[bytes, int]:
        if self.setting_up or not self.choices.chance(20):
            return {}
        members = chain.validators(chain.height.revision_height + 1).validators
        flag = self.choices.pick((FLAG_ABSENT, FLAG_NIL))
        weakest = min(members, key=lambda member: (member.power, member.address))
        return {weakest.address: flag}

    # -- proofs

    def followed(self, chain: WalkChain, client_id: str) -> WalkChain | None:
        """Return the chain a client tracks; None for a solo machine or an unknown client."""
        if client_id == LOCALHOST_CLIENT_ID:
            return chain
        if client_id not in view.tendermint_ids(chain):
            return None
        return self.other(chain)

    def prover(self, chain: WalkChain, client_id: str) -> Prover | None:
        """Return a prover for a client of `chain`, usually at the latest height."""
        if client_id == LOCALHOST:
            return prover.localhost(chain)
        far = self.followed(chain, client_id)
        if far is None:
            return None
        if not self.setting_up and self.choices.chance(12):
            return prover.stale(far, chain, client_id)
        self.run(far)
        made = prover.fresh(far, chain, client_id, self.relayer)
        if self.choices.chance(40):
            return made
        self.send(chain, *made.before, note="update before a proof")
        return made._replace(before=())
