"""What each kind of step does to a world."""

from collections.abc import Callable
from random import Random

from conformance.simulation import steps
from conformance.simulation.copies import rots, syncs
from conformance.simulation.forgers import Forger
from conformance.simulation.nodes import SETTINGS, Node
from conformance.simulation.relayers import Relayer
from conformance.simulation.sends import Sending
from conformance.simulation.steps import Step
from conformance.simulation.strangers import Stranger
from conformance.simulation.world import World
from ibc_relayer.path import SIDES
from ibc_testing.clock import SECOND
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint

MOMENTS = 80
"""Of a relayer's round, before which it may be killed."""
WRITES = 6
"""Moments of a block at which a node may be killed."""
WRITES_TO_FULL = 40
"""Of files, before a disk is full: those of two blocks."""
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
        self._full_for = 0  # steps
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
            steps.CUT_POWER: self._cut_power,
            steps.CUT_RELAYER: self._cut_relayer,
            steps.FILL_DISK: self._fill_disk,
            steps.RECONFIGURE: self._reconfigure,
            steps.OTHER_VERSION: self._other_version,
            steps.ROT: self._rot,
            steps.SYNC: self._sync,
            steps.FORGE: self._forge,
            steps.STRANGER: self._stranger,
        }

    def do(self, step: Step) -> None:
        """One step."""
        self._meanwhile_left = MEANWHILE
        self._frees_disk()
        self._does[step.kind](step.choice)

    # -- chains and users

    def _node(self, choice: Random) -> tuple[int, Node]:
        number = choice.randrange(len(self.world.nodes))
        return number, self.world.nodes[number]

    def _block(self, choice: Random) -> None:
        _, node = self._node(choice)
        node.does(_make_block)

    def _send(self, choice: Random) -> None:
        route, side = choice.choice(self.world.routes), choice.choice(SIDES)
        node = self.world.ends(route)[side]
        if node.is_up:
            sending = Sending(self.world, route, side, choice)
            wallet, message = node.terms.wallet(sending.user), sending.message
            node.does(lambda chain: LocalEndpoint(chain, wallet).submit([message]))

    def _forge(self, choice: Random) -> None:
        route, side = choice.choice(self.world.routes), choice.choice(SIDES)
        node = self.world.ends(route)[side]
        if all(each.is_up for each in self.world.ends(route)):
            forger = Forger(self.world, route, side, choice)
            wallet, message = node.terms.wallet(forger.user), forger.message
            if message is not None:
                node.does(lambda chain: LocalEndpoint(chain, wallet).submit([message]))

    def _stranger(self, choice: Random) -> None:
        Stranger(self.world, choice.choice(self.world.routes), choice).opens()

    def _kill_chain(self, choice: Random) -> None:
        """A kill at one of the writes of the next block; half of the nodes are started at once."""
        _, node = self._node(choice)
        node.switch.arm(choice.randrange(WRITES))
        node.does(_make_block)
        if choice.random() < 0.5:
            node.start()

    def _restart_chain(self, choice: Random) -> None:
        _, node = self._node(choice)
        if choice.random() < 0.5:
            node.stop()
        node.start()

    def _skew(self, choice: Random) -> None:
        number, _ = self._node(choice)
        self.world.clocks.wrong_ns[number] = choice.randint(-SKEW_S, SKEW_S) * SECOND

    def _reconfigure(self, choice: Random) -> None:
        """The node ends, and goes on with other settings: of its caches, of what it keeps, of its export."""
        _, node = self._node(choice)
        node.stop()
        node.settings = choice.choice(SETTINGS)
        node.start()

    # -- disks

    def _cut_power(self, choice: Random) -> None:
        """In a block, or after one: what was not flushed is there in any part, or not. Then it starts."""
        _, node = self._node(choice)
        since = self.world.machine.now()
        for _ in range(choice.randint(0, 2)):
            node.does(_make_block)
        node.lose_power(since, choice)
        node.start()

    def _cut_relayer(self, choice: Random) -> None:
        """At some moment of a round, or after it; what it has sent until then is on its way."""
        relayer = self._relayer(choice)
        self._round(choice, relayer, choice.randrange(2 * MOMENTS))
        relayer.stop()
        self.world.machine.cut(relayer.folder, relayer.ended_at, relayer.ended_at, choice)

    def _fill_disk(self, choice: Random) -> None:
        """A machine's disk fills up at some write, and is full for some steps."""
        folder = choice.choice(
            [*(each.folder for each in self.world.nodes), *(each.folder for each in self.world.relayers)]
        )
        self._full_for = choice.randint(1, 8)
        self.world.machine.fill(folder, choice.randrange(WRITES_TO_FULL))

    def _rot(self, choice: Random) -> None:
        """The node ends; of its disk there is a copy, which rots. Then it is started."""
        _, node = self._node(choice)
        node.stop()
        rots(node, self.world.machine.copies, choice)
        node.start()

    def _sync(self, choice: Random) -> None:
        _, node = self._node(choice)
        if node.is_up and node.chain.height > node.chain.first_height:
            syncs(node, choice)

    def _frees_disk(self) -> None:
        """Once it was full for long enough, somebody makes room, and starts what is down."""
        if self._full_for:
            self._full_for -= 1
            if not self._full_for:
                self.world.machine.free()

    # -- relayers

    def _relayer(self, choice: Random) -> Relayer:
        return choice.choice(self.world.relayers)

    def _route(self, choice: Random) -> int:
        return choice.randrange(len(self.world.routes))

    def _round(self, choice: Random, chosen: Relayer | None = None, crash_in: int | None = None) -> None:
        relayer = chosen or self._relayer(choice)
        relayer.weather.next_round()
        relayer.weather.choice = Random(choice.getrandbits(32))  # noqa: S311 - a schedule, not a secret
        relayer.weather.loss = choice.choice([0, 0, 3, 20])
        relayer.weather.busy = choice.choice([0, 0, 10])
        relayer.weather.crash_in = crash_in
        relayer.round(self._route(choice))

    def _kill_relayer(self, choice: Random) -> None:
        relayer = self._relayer(choice)
        relayer.weather.next_round()
        relayer.weather.crash_in = choice.randrange(MOMENTS)
        relayer.round(self._route(choice))
        relayer.stop()

    def _lose_journal(self, choice: Random) -> None:
        self._relayer(choice).lose_journal()

    def _other_version(self, choice: Random) -> None:
        """The relayer before this release, for as long as its disk has room."""
        if not self._full_for:
            self._relayer(choice).go_back()

    def _partition(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].terms.chain_id
        self._relayer(choice).weather.unreachable[chain_id] = choice.randint(1, 6)

    def _lag(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].terms.chain_id
        self._relayer(choice).weather.lag[chain_id] = choice.randint(1, 6), choice.randint(1, 3)

    def _lie(self, choice: Random) -> None:
        """Who answers a relayer lies; answers of that chain's RPC are damaged, for who exports by it too."""
        chain_id = self._node(choice)[1].terms.chain_id
        self._relayer(choice).weather.lies[chain_id] = rounds = choice.randint(1, 4)
        for relayer in self.world.relayers:
            relayer.weather.damage[chain_id] = 4 * rounds
        if self.world.fetcher:
            self.world.fetcher.run(choice)

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
                    idle[0].round(self._route(choice))
            finally:
                self._nested = False

    # -- exports

    def _lose_export(self, choice: Random) -> None:
        """The last file is gone, with all its lines: the whole export where there is one only."""
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
