"""A chain's node in a simulated network: it can be killed at any write, and is opened again from its home."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.simulation.machine import Machine
from iavl import IavlError, StorageFailed
from ibc_core.coin import coin
from ibc_core.config import Config
from ibc_core.errors import IbcError
from ibc_core.host.block import CommittedBlock
from ibc_indexer.plugin import ExportPlugin
from ibc_module import hookimpl
from ibc_relayer.wallet import Wallet, seed_key
from ibc_testing.clock import START_NS
from ibc_testing.faults import Crashed
from ibc_testing.numbers import Numbers
from localnet.chain import LocalChain
from localnet.genesis import Genesis, funded
from localnet.host.app import HostApp
from localnet.host.config import HostConfig
from localnet.queue import plugins_with_queues
from localnet.retention import Retention

DISK = (StorageFailed, OSError)
"""What a full disk looks like to who opens, uses or closes a chain."""
USERS = ("alice", "bob", "carol")
RELAYERS = ("relayer-1", "relayer-2")
SUPPLY = 10**12


class Terms:
    """What makes one chain another: nothing is the same at both ends."""

    def __init__(self, chain_id: str, prefix: str, denom: str, numbers: Numbers) -> None:
        self.chain_id = chain_id
        self.prefix = prefix
        self.denom = denom
        self.numbers = numbers

    def wallet(self, name: str) -> Wallet:
        """Somebody's keys on this chain: other ones than on the other chain."""
        return Wallet(self.key(name), self.prefix)

    def key(self, name: str) -> bytes:
        """The private key of somebody's account."""
        return seed_key(f"{name} of {self.chain_id}")


class KillSwitch:
    """Ends the node's process at the chosen of the moments that it passes."""

    def __init__(self) -> None:
        self._left: int | None = None

    def arm(self, moments: int) -> None:
        """Kills at the moment of this number from now on, counted from 0."""
        self._left = moments

    def disarm(self) -> None:
        """Nothing is killed any more."""
        self._left = None

    def passes(self, moment: str) -> None:
        """Passes a moment; raises Crashed at the chosen one."""
        if self._left is None:
            return
        if self._left == 0:
            self._left = None
            raise Crashed(moment)
        self._left -= 1

    @hookimpl
    def chain_begin_block(self) -> None:
        """A block's execution begins."""
        self.passes("a block begins")

    @hookimpl(tryfirst=True)
    def chain_committed(self) -> None:
        """A block is committed; nobody has heard of it."""
        self.passes("a block is committed")


class Heard(NamedTuple):
    """A block that the host told of."""

    block: CommittedBlock
    moment: int  # of the machine


class Listener:
    """What hears of every block, and forgets nothing but what a power cut undid."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.heard: dict[int, Heard] = {}
        """By height."""
        self.unmade: list[int] = []
        """Heights at which it heard of another block than before."""

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """A block, for the first time or again."""
        before = self.heard.setdefault(block.height, Heard(block, self._now()))
        if before.block.hash != block.hash:
            self.unmade.append(block.height)

    def forget_after(self, moment: int) -> None:
        """What it heard since then it never heard."""
        for height in [height for height, each in self.heard.items() if each.moment > moment]:
            del self.heard[height]


class Settings(NamedTuple):
    """What a node may be started with: nothing of it changes a hash."""

    retention: Retention = Retention()
    sync_exports: bool = False


SETTINGS = (
    Settings(),
    Settings(Retention(keep_versions=12), sync_exports=True),
    Settings(Retention(keep_blocks=40, keep_versions=30, cache_nodes=150)),
    Settings(Retention(keep_blocks=100, keep_versions=None, cache_nodes=0)),
    Settings(Retention(cache_nodes=40, map_bytes=1 << 30)),
)
"""The first is a new node's."""


class Node:
    """One chain's node, and its exporter."""

    def __init__(self, terms: Terms, folder: Path, clock: Callable[[], int], machine: Machine) -> None:
        """Does not start it."""
        self.terms = terms
        self.folder = folder
        self.home = folder / "home"
        self.exports = folder / "export"
        self.machine = machine
        self.listener = Listener(machine.now)
        self.settings = SETTINGS[0]
        self._clock = clock
        self._chain: LocalChain | None = None
        self._exporter: ExportPlugin | None = None
        self.switch = KillSwitch()
        self.announced: dict[int, bytes] = {}
        """Hashes of the blocks that anybody was told of, by height."""

    @property
    def heard(self) -> dict[int, Heard]:
        """What listeners know of its blocks, by height."""
        return self.listener.heard

    def announce(self) -> None:
        """Somebody has had an answer: the last block is known outside."""
        record = self.chain.record(self.chain.height)
        self.announced.setdefault(self.chain.height, record.block_id.hash)

    @property
    def chain(self) -> LocalChain:
        """The running chain; raises LookupError while it is down."""
        if self._chain is None:
            raise LookupError(f"{self.terms.chain_id} is down")
        return self._chain

    @property
    def is_up(self) -> bool:
        """Whether it runs."""
        return self._chain is not None

    def start(self) -> None:
        """Opens the chain from its home, if it is down; killed meanwhile, or on a full disk, it stays so."""
        if self._chain is not None:
            return
        self._exporter = ExportPlugin(self.exports, sync=self.settings.sync_exports)
        try:
            listed = [self.switch, *self._modules(), self.listener, self._exporter]
            self._chain = self._opened_in(self.home, listed, self._clock)
        except Crashed:
            self.stop()
        except DISK:
            self.stop()
            if not self.machine.is_full:
                raise
        else:
            self._exporter.fill_from(self._chain.stored_block)
            self._watch(self._chain)

    def stop(self) -> None:
        """It ends: in order, or killed, after which nothing is written, and the system closes its files."""
        if self._exporter is not None:
            self._exporter.close()
        chain, self._chain, self._exporter = self._chain, None, None
        if chain is not None:
            try:
                chain.close()
            except DISK:
                if not self.machine.is_full:
                    raise

    def gave_up(self) -> bool:
        """Whether a write failed and the chain goes on no more; then its process ends.

        Raises what ended it, where that was not the disk.
        """
        reason = self._chain.halted if self._chain is not None else None
        if reason is None:
            return False
        self.stop()
        if not isinstance(reason, DISK) or not self.machine.is_full:
            raise reason
        return True

    def does(self, run: Callable[[LocalChain], object]) -> None:
        """Does something on the chain, if it is up; it may die of it. Raises what no full disk explains."""
        if self._chain is not None:
            try:
                run(self._chain)
            except Crashed:
                self.stop()
            except (IbcError, IavlError, OSError):
                if not self.gave_up():
                    raise

    def lose_power(self, since: int, choice: Random) -> None:
        """Its machine loses power at a moment since then."""
        until = self.machine.now()
        self.stop()
        self.listener.forget_after(self.machine.cut(self.folder, since, until, choice))

    def replica(self) -> LocalChain:
        """The same chain from its genesis on, in memory: it has no block but the first."""
        return LocalChain(
            self.terms.chain_id,
            plugins=self._modules(),
            config=self._config(),
            genesis=self._genesis(),
            clock=lambda: START_NS,
        )

    def twin(self, home: Path) -> LocalChain:
        """Another node of this chain, on a copy of its home; raises what opening that raises."""
        return self._opened_in(home, self._modules(), lambda: START_NS)

    def newcomer(self) -> HostApp:
        """The application of a node that has no state yet."""
        return HostApp(self._config(), self._modules())

    def _modules(self) -> list[object]:
        return plugins_with_queues(Config(account_prefix=self.terms.prefix))

    def _opened_in(self, home: Path, listed: list[object], clock: Callable[[], int]) -> LocalChain:
        return LocalChain(
            self.terms.chain_id,
            home,
            plugins=listed,
            config=self._config(),
            genesis=self._genesis(),
            clock=clock,
            retention=self.settings.retention,
        )

    def _watch(self, chain: LocalChain) -> None:
        """The moments around the two writes of a block."""
        save, commit = chain.blocks.save, chain.app.commit

        def saved(*args: object) -> None:
            self.switch.passes("a block is to be saved")
            save(*args)  # type: ignore[arg-type]
            self.switch.passes("a block is saved")

        def committed() -> None:
            self.switch.passes("a state is to be committed")
            commit()
            self.switch.passes("a state is committed")

        chain.blocks.save = saved  # type: ignore[method-assign,assignment]
        chain.app.commit = committed  # type: ignore[method-assign,assignment]

    def _config(self) -> HostConfig:
        return HostConfig(self.terms.chain_id, self.terms.prefix)

    def _genesis(self) -> Genesis:
        rich = (coin(self.terms.denom, SUPPLY),)
        state = funded((self.terms.wallet(name).address.text, rich) for name in (*USERS, *RELAYERS))
        return Genesis({**state, **self.terms.numbers.app_state()}, START_NS, 1)
