"""A random walk: a fixed setup, then random moves, some of them with mutated messages."""

from typing import Any, NamedTuple

from conformance.kit.encode import to_any
from conformance.walks import genesis, view
from conformance.walks.chain import Action, Transaction, WalkChain
from conformance.walks.choices import Choices, stream
from conformance.walks.moves import (
    Move,
    accounts,
    attested,
    authority,
    channels,
    clients,
    connections,
    evidence,
    packets,
    packets_v2,
    quotas,
    solo,
    transfers,
    upgrades,
)
from conformance.walks.mutations.mutate import mutated
from conformance.walks.world import World
from pyibc.chain.bank.send import MSG_SEND
from pyibc.codec.anys import AnyMessage
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.testing.pair import SECOND


class Shape(NamedTuple):
    """Parameters of a walk."""

    name: str
    steps: int  # number of blocks
    corrupted: int  # percentage of transactions with a mutated message
    jumps: int  # percentage of moves preceded by a time jump of minutes
    favour: str  # a group of moves with three times the weight; "": none


GROUPS: dict[str, tuple[tuple[int, Move], ...]] = {
    "clients": clients.MOVES,
    "evidence": evidence.MOVES,
    "connections": connections.MOVES,
    "channels": channels.MOVES,
    "packets": packets.MOVES,
    "packets_v2": packets_v2.MOVES,
    "transfers": transfers.MOVES,
    "quotas": quotas.MOVES,
    "accounts": accounts.MOVES,
    "authority": authority.MOVES,
    "upgrades": (*upgrades.MOVES, (1, upgrades.new_revision)),
    "solo": solo.MOVES,
    "attested": attested.MOVES,
}

SHAPES = (
    Shape("mixed", 180, 25, 6, ""),
    Shape("packets", 180, 25, 4, "packets"),
    Shape("corrupt", 190, 85, 3, ""),
    Shape("packets_v2", 180, 30, 4, "packets_v2"),
    Shape("clients", 170, 30, 8, "clients"),
    Shape("evidence", 160, 30, 4, "evidence"),
    Shape("handshakes", 170, 30, 3, "channels"),
    Shape("transfers", 180, 25, 4, "transfers"),
    Shape("accounts", 200, 20, 4, "accounts"),
    Shape("quotas", 190, 10, 4, "quotas"),
    Shape("solo", 170, 25, 3, "solo"),
    Shape("attested", 170, 20, 3, "attested"),
    Shape("upgrades", 160, 25, 3, "upgrades"),
)

OPENING_MOVES: tuple[tuple[int, Move], ...] = (
    (0, clients.create),
    (1, clients.create),
    (0, connections.open_init),
    (1, connections.open_try),
    (0, connections.open_ack),
    (1, connections.open_confirm),
    (0, packets_v2.register),
    (1, packets_v2.register),
)
"""Chain index and move: sets up two clients that know each other, and a connection."""

SETUP_MOVES: tuple[tuple[int, Move], ...] = (
    *OPENING_MOVES,
    (0, channels.open_init),
    (1, channels.open_try),
    (0, channels.open_ack),
    (1, channels.open_confirm),
    (0, channels.open_init),
    (1, channels.open_try),
    (0, channels.open_ack),
    (1, channels.open_confirm),
    (0, channels.open_init),
    (1, channels.open_try),
    (0, channels.open_ack),
    (1, channels.open_confirm),
    (0, accounts.register),
    (1, channels.open_try),
    (0, channels.open_ack),
    (1, channels.open_confirm),
    (1, accounts.fund),
)
"""Sets up three channels and an account besides."""


RARE_MOVES: tuple[Move, ...] = (
    channels.close_confirm,
    packets.timeout_on_close,
    packets.answer_later,
    packets_v2.answer_later,
    upgrades.upgrade,
    solo.settle,
    solo.open_channel,
)
"""Moves that are rarely possible, and preferred when they are."""

CHECKED_TYPES = frozenset(
    {MsgRecvPacket.TYPE_URL, MsgAcknowledgement.TYPE_URL, MsgTimeout.TYPE_URL, MsgTimeoutOnClose.TYPE_URL}
)
"""Messages that CheckTx is called with."""


class Walk:
    """One walk; `document` returns its transcript.

    Args:
        choices: Source of all random decisions.
        shape: Parameters of the walk.
        seed: Seed for validators' and solo machines' keys.
    """

    def __init__(self, choices: Choices, shape: Shape, seed: str) -> None:
        self.world = World(choices, seed)
        self._choices = choices
        self._shape = shape
        self._seed = seed
        self._moves = [
            (weight * (3 if name == shape.favour else 1), move)
            for name, moves in GROUPS.items()
            for weight, move in moves
        ]

    def run(self) -> dict[str, Any]:
        """Run the walk; return its transcript."""
        for chain in self.world.chains:
            self.world.run(chain)
        for place, move in SETUP_MOVES:
            self._try(self.world.chains[place], move, 0)
        self.world.setting_up = False
        for _ in range(self._shape.steps * 10):
            if len(self.world.steps) >= self._shape.steps:
                break
            self._go()
        return self.document()

    def document(self) -> dict[str, Any]:
        """Return the transcript so far."""
        return {
            "family": f"walk {self._shape.name}",
            "seed": self._seed,
            "authority": genesis.AUTHORITY,
            "chains": [chain.start for chain in self.world.chains],
            "steps": self.world.steps,
            "check_tx": self.world.checks,
        }

    def _go(self) -> None:
        choices, world = self._choices, self.world
        if choices.chance(self._shape.jumps):
            world.now_ns += choices.pick((1, 4, 15)) * 60 * SECOND
        chain = choices.pick(world.chains)
        move = choices.weighted(self._moves)
        if authority.is_shut(chain) and choices.chance(30):
            move = choices.pick((authority.client_params, authority.ics20_params, authority.behave))
        elif authority.is_lost(world, chain) and choices.chance(30):
            move = authority.recover
        elif choices.chance(15) and self._try_rare(chain):
            return
        self._try(chain, move, self._shape.corrupted)

    def _try_rare(self, chain: WalkChain) -> bool:
        """Make one of the rare moves, if any is possible."""
        first = self._choices.below(len(RARE_MOVES))
        moves = (*RARE_MOVES[first:], *RARE_MOVES[:first])
        return any(self._try(chain, move, max(self._shape.corrupted, 45)) for move in moves)

    def _try(self, chain: WalkChain, move: Move, percent: int) -> bool:
        """Make a move if it is possible; return whether it was."""
        made = move(self.world, chain)
        if not made:
            return False
        actions_before = [each for each in made if isinstance(each, Action)]
        messages = tuple(to_any(each) for each in made if not isinstance(each, Action))
        note = f"{move.__module__.rpartition('.')[2]} {move.__name__}"
        if not messages:
            self.world.run(chain, [], actions_before)
        else:
            self._send(chain, Transaction(messages, note), actions_before, percent)
        return True

    def _send(
        self, chain: WalkChain, honest: Transaction, actions_before: list[Action], percent: int
    ) -> None:
        """Run the transaction, or mutated versions and usually the valid one after them."""
        asked = self._choices.chance(25) and _is_comparable(chain, honest)
        if asked:
            self.world.check_tx(chain, honest)
        self._deliver(chain, honest, actions_before, percent)
        if asked:
            self.world.check_tx(chain, honest, recheck=self._choices.chance(50))

    def _deliver(
        self, chain: WalkChain, honest: Transaction, actions_before: list[Action], percent: int
    ) -> None:
        if not self._choices.chance(percent):
            again = [self._replayed()] if self._choices.chance(8) and self.world.history else []
            self.world.run(chain, [honest, *again], actions_before)
            return
        bad = [self._corrupt(chain, honest) for _ in range(self._choices.between(1, 3))]
        if self._choices.chance(25) and _is_comparable(chain, bad[0]):
            self.world.check_tx(chain, bad[0])
        if self._choices.chance(50):
            self.world.run(chain, [*bad, honest], actions_before)
            return
        self.world.run(chain, bad, actions_before)
        if self._choices.chance(50):
            self.world.run(chain, [honest])

    def _corrupt(self, chain: WalkChain, honest: Transaction) -> Transaction:
        messages = list(honest.messages)
        at = len(messages) - 1 if self._choices.chance(70) else self._choices.below(len(messages))
        if messages[at].type_url == MSG_SEND:  # error codes of the host itself are not part of IBC
            return honest
        messages[at] = mutated(self.world, chain, messages[at])
        return Transaction(tuple(messages), f"corrupted: {honest.note}")

    def _replayed(self) -> Transaction:
        old: AnyMessage = self._choices.pick(self.world.history)
        return Transaction((old,), "replayed")


def _is_comparable(chain: WalkChain, tx: Transaction) -> bool:
    """Return whether CheckTx must give the same result in ibc-go; delay periods differ (docs/adr/0010)."""
    delays = any(end.delay_period_ns for end in view.connections(chain).values())
    return not delays and all(each.type_url in CHECKED_TYPES for each in tx.messages)


def walk(seed: int) -> dict[str, Any]:
    """Return the transcript of a numbered walk, deterministic; shapes alternate."""
    shape = SHAPES[seed % len(SHAPES)]
    name = f"walk/{seed}"
    return Walk(Choices(stream(name)), shape, name).run()
