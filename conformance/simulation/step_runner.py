"""Execution of the steps of a schedule."""

from collections.abc import Callable
from random import Random

from conformance.simulation import steps
from conformance.simulation.forgers import Forger
from conformance.simulation.node_copies import check_disk_corruption, check_state_sync
from conformance.simulation.nodes import SETTINGS, Node
from conformance.simulation.relayers import Relayer
from conformance.simulation.sends import Sending
from conformance.simulation.steps import Step
from conformance.simulation.third_parties import ThirdParty
from conformance.simulation.world import World
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from pyibc.relayer.paths.path import SIDES
from pyibc.testing.pair import SECOND

MOMENTS = 80
"""Calls and responses of a relayer's round; it may be killed at any of them."""
WRITES = 6
"""Moments within a block at which a node may be killed."""
WRITES_TO_FULL = 40
"""File writes before a disk becomes full, those of about two blocks."""
MEANWHILE = 20
"""Maximum number of concurrent actions during the calls of one round, since each sent packet causes more
calls."""
SKEW_S = 90
"""Maximum deviation of a chain's clock, seconds."""


class StepRunner:
    """Executor of steps, one after the other."""

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
        """Execute one step."""
        self._meanwhile_left = MEANWHILE
        self._frees_disk()
        self._does[step.kind](step.choice)

    # -- chains and users

    def _node(self, choice: Random) -> tuple[int, Node]:
        number = choice.randrange(len(self.world.nodes))
        return number, self.world.nodes[number]

    def _block(self, choice: Random) -> None:
        _, node = self._node(choice)
        node.perform(_make_block)

    def _send(self, choice: Random) -> None:
        route, side = choice.choice(self.world.routes), choice.choice(SIDES)
        node = self.world.ends(route)[side]
        if node.is_up:
            sending = Sending(self.world, route, side, choice)
            wallet, message = node.identity.wallet(sending.user), sending.message
            node.perform(lambda chain: LocalEndpoint(chain, wallet).submit([message]))

    def _forge(self, choice: Random) -> None:
        route, side = choice.choice(self.world.routes), choice.choice(SIDES)
        node = self.world.ends(route)[side]
        if all(each.is_up for each in self.world.ends(route)):
            forger = Forger(self.world, route, side, choice)
            wallet, message = node.identity.wallet(forger.user), forger.message
            if message is not None:
                node.perform(lambda chain: LocalEndpoint(chain, wallet).submit([message]))

    def _stranger(self, choice: Random) -> None:
        ThirdParty(self.world, choice.choice(self.world.routes), choice).opens()

    def _kill_chain(self, choice: Random) -> None:
        """Kill a node at one of the writes of the next block; restart half of them at once."""
        _, node = self._node(choice)
        node.switch.arm(choice.randrange(WRITES))
        node.perform(_make_block)
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
        """Restart a node with other settings: caches, retention, exports."""
        _, node = self._node(choice)
        node.stop()
        node.settings = choice.choice(SETTINGS)
        node.start()

    # -- disks

    def _cut_power(self, choice: Random) -> None:
        """Cut a node's power during or after a block, which loses part of the unflushed data; restart it."""
        _, node = self._node(choice)
        since = self.world.machine.now()
        for _ in range(choice.randint(0, 2)):
            node.perform(_make_block)
        node.lose_power(since, choice)
        node.start()

    def _cut_relayer(self, choice: Random) -> None:
        """Cut a relayer's power during or after a round; its submitted transactions remain in the network."""
        relayer = self._relayer(choice)
        self._round(choice, relayer, choice.randrange(2 * MOMENTS))
        relayer.stop()
        self.world.machine.cut(relayer.folder, relayer.ended_at, relayer.ended_at, choice)

    def _fill_disk(self, choice: Random) -> None:
        """Let a machine's disk become full at some write, for some steps."""
        folder = choice.choice(
            [*(each.folder for each in self.world.nodes), *(each.folder for each in self.world.relayers)]
        )
        self._full_for = choice.randint(1, 8)
        self.world.machine.fill(folder, choice.randrange(WRITES_TO_FULL))

    def _rot(self, choice: Random) -> None:
        """Corrupt a copy of a node's disk while the node is down, then restart it."""
        _, node = self._node(choice)
        node.stop()
        check_disk_corruption(node, self.world.machine.copies, choice)
        node.start()

    def _sync(self, choice: Random) -> None:
        _, node = self._node(choice)
        if node.is_up and node.chain.height > node.chain.first_height:
            check_state_sync(node, choice)

    def _frees_disk(self) -> None:
        """Free the disk after enough steps, and start what is down."""
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
        relayer.call_faults.next_round()
        relayer.call_faults.choice = Random(choice.getrandbits(32))  # noqa: S311 - a schedule, not a secret
        relayer.call_faults.loss = choice.choice([0, 0, 3, 20])
        relayer.call_faults.busy = choice.choice([0, 0, 10])
        relayer.call_faults.crash_in = crash_in
        relayer.round(self._route(choice))

    def _kill_relayer(self, choice: Random) -> None:
        relayer = self._relayer(choice)
        relayer.call_faults.next_round()
        relayer.call_faults.crash_in = choice.randrange(MOMENTS)
        relayer.round(self._route(choice))
        relayer.stop()

    def _lose_journal(self, choice: Random) -> None:
        self._relayer(choice).lose_journal()

    def _other_version(self, choice: Random) -> None:
        """Replace a relayer by the previous release; not while its disk is full."""
        if not self._full_for:
            self._relayer(choice).downgrade()

    def _partition(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].identity.chain_id
        self._relayer(choice).call_faults.unreachable[chain_id] = choice.randint(1, 6)

    def _lag(self, choice: Random) -> None:
        chain_id = self._node(choice)[1].identity.chain_id
        self._relayer(choice).call_faults.lag[chain_id] = choice.randint(1, 6), choice.randint(1, 3)

    def _lie(self, choice: Random) -> None:
        """Let the nodes of a chain lie to a relayer, and corrupt RPC responses, also for exports."""
        chain_id = self._node(choice)[1].identity.chain_id
        self._relayer(choice).call_faults.lies[chain_id] = rounds = choice.randint(1, 4)
        for relayer in self.world.relayers:
            relayer.call_faults.damage[chain_id] = 4 * rounds
        if self.world.export_runs:
            self.world.export_runs.run(choice)

    def _meanwhile(self, choice: Random) -> None:
        """Let users, chains and the other relayer act during a call; relayers do not nest further."""
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
        """Delete the last file of an export, which may be the only one."""
        _, node = self._node(choice)
        for file in sorted(node.exports.glob("blocks-*"))[-1:]:
            file.unlink()

    def _tear_export(self, choice: Random) -> None:
        """Truncate the last file of an export, as after a crash of the machine."""
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
