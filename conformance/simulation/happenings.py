"""What each kind of step does to a world."""

from collections.abc import Callable
from random import Random

from conformance.simulation import steps
from conformance.simulation.nodes import USERS, Node
from conformance.simulation.steps import Step
from conformance.simulation.world import Relayer, World
from ibc_core.any_message import AnyMessage
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.packet_v2.types import NS_PER_S
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_relayer.path import SIDES, ClientPath, Side, other
from ibc_testing.clock import SECOND
from ibc_testing.faults import Crashed
from ibc_testing.transfers import hop
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint

MOMENTS = 80
"""Of a relayer's round, before which it may be killed."""
WRITES = 6
"""Moments of a block at which a node may be killed."""
SOON_S = (3, 40)
"""A timeout that some packets reach, seconds."""
NEVER_S = 90 * 60
MEANWHILE = 20
"""Most that happens while one round's calls are under way: each packet that is sent makes for more calls."""
SKEW_S = 90
"""How wrong a chain's clock may be, seconds."""


class Happenings:
    """Does the steps, one after the other."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.meanwhile = self._meanwhile
        self._nested = False
        self._meanwhile_left = 0
        self._does: dict[str, Callable[[Random], None]] = {
            steps.SEND: self._send,
            steps.BLOCK: self._block,
            steps.ROUND: self._round,
            steps.KILL_RELAYER: self._kill_relayer,
            steps.KILL_CHAIN: self._kill_chain,
            steps.RESTART_CHAIN: self._restart_chain,
            steps.LOSE_JOURNAL: self._lose_journal,
            steps.PARTITION: self._partition,
            steps.LAG: self._lag,
            steps.LIE: self._lie,
            steps.SKEW: self._skew,
            steps.LOSE_EXPORT: self._lose_export,
            steps.TEAR_EXPORT: self._tear_export,
        }

    def do(self, step: Step) -> None:
        """One step."""
        self._meanwhile_left = MEANWHILE
        self._does[step.kind](step.choice)

    # -- chains and users

    def _node(self, choice: Random) -> tuple[Side, Node]:
        side = choice.choice(SIDES)
        return side, self.world.nodes[side]

    def _running(self, node: Node, run: Callable[[LocalChain], object]) -> None:
        """Does something on a node, which may die of it."""
        if node.is_up:
            try:
                run(node.chain)
            except Crashed:
                node.stop()

    def _block(self, choice: Random) -> None:
        _, node = self._node(choice)
        self._running(node, _make_block)

    def _send(self, choice: Random) -> None:
        side, node = self._node(choice)
        user = choice.choice(USERS)
        message = self._transfer(side, user, choice) if node.is_up else None
        if message is not None:
            self._running(node, lambda chain: LocalEndpoint(chain, node.terms.wallet(user)).submit([message]))

    def _transfer(self, side: Side, user: str, choice: Random) -> AnyMessage | None:
        """Coins of the user's, of this chain or of the other, to somebody over there."""
        node, far = self.world.nodes[side], self.world.nodes[other(side)]
        app, wallet = node.chain.app, node.terms.wallet(user)
        held = app.bank.balances(app.query_context(), wallet.address.raw)
        denom, most = choice.choice(sorted(held))
        receiver = choice.choice([far.terms.wallet(choice.choice(USERS)).address.text] * 7 + ["nobody"])
        return pack_msg(
            MsgTransfer(
                *hop(self.world.path.end(side)),
                denom,
                str(choice.randint(1, max(1, most // 1000))),
                wallet.address.text,
                receiver,
                *self._until(side, choice),
                choice.choice(["", "a memo"]),
            )
        )

    def _until(self, side: Side, choice: Random) -> tuple[Height, int]:
        seconds = choice.randint(*SOON_S) if choice.random() < 0.3 else NEVER_S
        when = self.world.nodes[side].chain.tip().time_ns + seconds * SECOND
        far = self.world.nodes[other(side)]
        if isinstance(self.world.path, ClientPath):
            return ZERO_HEIGHT, when // NS_PER_S
        if far.is_up and choice.random() < 0.2:
            revision, height = far.chain.revision, far.chain.height
            return Height(revision, height + choice.randint(2, 12)), 0
        return ZERO_HEIGHT, when

    def _kill_chain(self, choice: Random) -> None:
        """A kill at one of the writes of the next block; half of the nodes are started at once."""
        _, node = self._node(choice)
        node.switch.arm(choice.randrange(WRITES))
        self._running(node, _make_block)
        if choice.random() < 0.5:
            node.start()

    def _restart_chain(self, choice: Random) -> None:
        _, node = self._node(choice)
        if choice.random() < 0.5:
            node.stop()
        node.start()

    def _skew(self, choice: Random) -> None:
        side, _ = self._node(choice)
        self.world.clocks.wrong_ns[side] = choice.randint(-SKEW_S, SKEW_S) * SECOND

    # -- relayers

    def _relayer(self, choice: Random) -> Relayer:
        return choice.choice(self.world.relayers)

    def _round(self, choice: Random) -> None:
        relayer = self._relayer(choice)
        relayer.weather.next_round()
        relayer.weather.choice = Random(choice.getrandbits(32))  # noqa: S311 - a schedule, not a secret
        relayer.weather.loss = choice.choice([0, 0, 3, 20])
        relayer.weather.busy = choice.choice([0, 0, 10])
        relayer.round(self.world.path)

    def _kill_relayer(self, choice: Random) -> None:
        relayer = self._relayer(choice)
        relayer.weather.next_round()
        relayer.weather.crash_in = choice.randrange(MOMENTS)
        relayer.round(self.world.path)
        relayer.stop()

    def _lose_journal(self, choice: Random) -> None:
        self._relayer(choice).lose_journal()

    def _partition(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].terms.chain_id
        self._relayer(choice).weather.unreachable[chain_id] = choice.randint(1, 6)

    def _lag(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].terms.chain_id
        self._relayer(choice).weather.lag[chain_id] = choice.randint(1, 6), choice.randint(1, 3)

    def _lie(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].terms.chain_id
        self._relayer(choice).weather.lies[chain_id] = choice.randint(1, 4)

    def _meanwhile(self, choice: Random) -> None:
        """Others go on while a call is under way; the other relayer too, but not within each other."""
        if not self._meanwhile_left:
            return
        self._meanwhile_left -= 1
        kind = choice.choice([steps.SEND, steps.BLOCK, steps.BLOCK, steps.ROUND])
        if kind != steps.ROUND:
            self._does[kind](choice)
        elif not self._nested:
            self._nested = True
            try:
                idle = [each for each in self.world.relayers if not each.is_busy]
                if idle:
                    idle[0].round(self.world.path)
            finally:
                self._nested = False

    # -- exports

    def _lose_export(self, choice: Random) -> None:
        """The last file is gone, with all its lines; the first one stays."""
        _, node = self._node(choice)
        for file in sorted(node.exports.glob("blocks-*"))[-1:]:
            file.unlink()

    def _tear_export(self, choice: Random) -> None:
        """The machine went down: the end of the last file never reached the disk."""
        _, node = self._node(choice)
        was_up = node.is_up
        node.stop()
        for file in sorted(node.exports.glob("blocks-*.jsonl"))[-1:]:
            with file.open("r+b") as lines:
                lines.truncate(max(0, file.stat().st_size - choice.randint(1, 4_000)))
        if was_up:
            node.start()


def _make_block(chain: LocalChain) -> None:
    chain.make_block()
