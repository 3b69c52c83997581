"""A walk: a beginning in which everything is set up, then moves at random, good and spoilt."""

from typing import Any, NamedTuple

from conformance.kit.encode import to_any
from conformance.walks import genesis, view
from conformance.walks.chain import Action, Transaction, WalkChain
from conformance.walks.choices import Choices, stream
from conformance.walks.corrupt.spoil import spoilt
from conformance.walks.moves import (
    Move,
    authority,
    channels,
    clients,
    connections,
    evidence,
    packets,
    packets_v2,
    solo,
    transfers,
    upgrades,
)
from conformance.walks.world import World
from ibc_core.any_message import AnyMessage
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_testing.clock import SECOND


class Shape(NamedTuple):
    """How a walk goes: how far, how often something is wrong, and what it likes to do."""

    name: str
    steps: int
    spoilt: int  # percent of the transactions in which a message is spoilt
    jumps: int  # percent of the moves before which minutes pass
    favour: str  # a group of moves that comes three times as often; "": none


GROUPS: dict[str, tuple[tuple[int, Move], ...]] = {
    "clients": clients.MOVES,
    "evidence": evidence.MOVES,
    "connections": connections.MOVES,
    "channels": channels.MOVES,
    "packets": packets.MOVES,
    "packets_v2": packets_v2.MOVES,
    "transfers": transfers.MOVES,
    "authority": authority.MOVES,
    "upgrades": (*upgrades.MOVES, (1, upgrades.new_revision)),
    "solo": solo.MOVES,
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
    Shape("solo", 170, 25, 3, "solo"),
    Shape("upgrades", 160, 25, 3, "upgrades"),
)

BEGINNING: tuple[tuple[int, Move], ...] = (
    (0, clients.create),
    (1, clients.create),
    (0, connections.open_init),
    (1, connections.open_try),
    (0, connections.open_ack),
    (1, connections.open_confirm),
    (0, packets_v2.register),
    (1, packets_v2.register),
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
)
"""Chain and move: two clients, a connection, counterparties, three channels."""


RARE: tuple[Move, ...] = (
    channels.close_confirm,
    packets.timeout_on_close,
    packets.answer_later,
    packets_v2.answer_later,
    upgrades.upgrade,
    solo.settle,
    solo.open_channel,
)
"""Moves that are not often possible: they come whenever they are."""

ASKED = frozenset(
    {MsgRecvPacket.TYPE_URL, MsgAcknowledgement.TYPE_URL, MsgTimeout.TYPE_URL, MsgTimeoutOnClose.TYPE_URL}
)
"""Messages that mempools are asked about."""


class Walk:
    """One walk; `document` is its transcript.

    Args:
        choices: decides everything.
        shape: how it goes.
        seed: of validators and machines.
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
        """Walks to the end; returns the transcript."""
        for chain in self.world.chains:
            self.world.run(chain)
        for place, move in BEGINNING:
            self._try(self.world.chains[place], move, 0)
        self.world.calm = False
        for _ in range(self._shape.steps * 10):
            if len(self.world.steps) >= self._shape.steps:
                break
            self._go()
        return self.document()

    def document(self) -> dict[str, Any]:
        """The transcript so far."""
        return {
            "family": f"walk {self._shape.name}",
            "seed": self._seed,
            "authority": genesis.AUTHORITY,
            "chains": [chain.start for chain in self.world.chains],
            "steps": self.world.steps,
            "check_tx": self.world.questions,
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
        self._try(chain, move, self._shape.spoilt)

    def _try_rare(self, chain: WalkChain) -> bool:
        """One of the moves that are seldom possible, if one is now."""
        first = self._choices.below(len(RARE))
        moves = (*RARE[first:], *RARE[:first])
        return any(self._try(chain, move, max(self._shape.spoilt, 45)) for move in moves)

    def _try(self, chain: WalkChain, move: Move, percent: int) -> bool:
        """Makes a move, if it is possible; says whether it was."""
        made = move(self.world, chain)
        if not made:
            return False
        doings = [each for each in made if isinstance(each, Action)]
        messages = tuple(to_any(each) for each in made if not isinstance(each, Action))
        note = f"{move.__module__.rpartition('.')[2]} {move.__name__}"
        if not messages:
            self.world.run(chain, [], doings)
        else:
            self._send(chain, Transaction(messages, note), doings, percent)
        return True

    def _send(self, chain: WalkChain, honest: Transaction, doings: list[Action], percent: int) -> None:
        """The transaction, or a spoilt one and mostly the right one after it, in a block or two."""
        asked = self._choices.chance(25) and _may_be_asked(chain, honest)
        if asked:
            self.world.ask(chain, honest)
        self._deliver(chain, honest, doings, percent)
        if asked:
            self.world.ask(chain, honest, recheck=self._choices.chance(50))

    def _deliver(self, chain: WalkChain, honest: Transaction, doings: list[Action], percent: int) -> None:
        if not self._choices.chance(percent):
            again = [self._replayed()] if self._choices.chance(8) and self.world.history else []
            self.world.run(chain, [honest, *again], doings)
            return
        bad = [self._spoil(chain, honest) for _ in range(self._choices.between(1, 3))]
        if self._choices.chance(25) and _may_be_asked(chain, bad[0]):
            self.world.ask(chain, bad[0])
        if self._choices.chance(50):
            self.world.run(chain, [*bad, honest], doings)
            return
        self.world.run(chain, bad, doings)
        if self._choices.chance(50):
            self.world.run(chain, [honest])

    def _spoil(self, chain: WalkChain, honest: Transaction) -> Transaction:
        messages = list(honest.messages)
        at = len(messages) - 1 if self._choices.chance(70) else self._choices.below(len(messages))
        messages[at] = spoilt(self.world, chain, messages[at])
        return Transaction(tuple(messages), f"spoilt: {honest.note}")

    def _replayed(self) -> Transaction:
        old: AnyMessage = self._choices.pick(self.world.history)
        return Transaction((old,), "replayed")


def _may_be_asked(chain: WalkChain, tx: Transaction) -> bool:
    """Whether both mempools answer by the same rules: they count time differently (docs/adr/0010)."""
    delays = any(end.delay_period_ns for end in view.connections(chain).values())
    return not delays and all(each.type_url in ASKED for each in tx.messages)


def walk(seed: int) -> dict[str, Any]:
    """The transcript of a numbered walk, the same always; shapes take turns."""
    shape = SHAPES[seed % len(SHAPES)]
    name = f"walk/{seed}"
    return Walk(Choices(stream(name)), shape, name).run()
