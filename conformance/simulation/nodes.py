"""A chain's node in a simulated network: it can be killed at any write, and reopened from its home."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.simulation.machine import Machine
from iavl import IavlError, StorageFailed
from ibc_module import hookimpl
from localnet import applications
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.app import HostApp
from pyibc.chain.comet.settings import Retention
from pyibc.chain.config import HostConfig
from pyibc.chain.parts import plugins_with_queues
from pyibc.core.coin import coin
from pyibc.core.errors import IbcError
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import Config
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.relayer.money.wallet import Wallet, seed_key
from pyibc.testing.faults import Crashed
from pyibc.testing.pair import START_NS, Numbers

DISK = (StorageFailed, OSError)
"""Exceptions by which opening, using or closing a chain fails on a full disk."""
USERS = ("alice", "bob", "carol")
RELAYERS = ("relayer-1", "relayer-2")
SUPPLY = 10**12


class ChainIdentity:
    """Identity of a chain; every value differs between chains."""

    def __init__(self, chain_id: str, prefix: str, denom: str, numbers: Numbers) -> None:
        self.chain_id = chain_id
        self.prefix = prefix
        self.denom = denom
        self.numbers = numbers
        self._wallets: dict[str, Wallet] = {}

    def wallet(self, name: str) -> Wallet:
        """Return the wallet of a user or relayer, which differs between chains."""
        if name not in self._wallets:  # deriving a key takes longer than most queries
            self._wallets[name] = Wallet(self.key(name), self.prefix)
        return self._wallets[name]

    def key(self, name: str) -> bytes:
        """Return the private key of an account."""
        return seed_key(f"{name} of {self.chain_id}")


class KillSwitch:
    """Kills the node's process at a chosen moment."""

    def __init__(self) -> None:
        self._left: int | None = None

    def arm(self, moments: int) -> None:
        """Kill at the moment of this number, counted from 0 from now on."""
        self._left = moments

    def disarm(self) -> None:
        """Do not kill."""
        self._left = None

    def passes(self, moment: str) -> None:
        """Pass a moment; raises Crashed at the chosen one."""
        if self._left is None:
            return
        if self._left == 0:
            self._left = None
            raise Crashed(moment)
        self._left -= 1

    @hookimpl
    def chain_begin_block(self) -> None:
        """Pass the moment at which a block's execution begins."""
        self.passes("a block begins")

    @hookimpl(tryfirst=True)
    def chain_committed(self) -> None:
        """Pass the moment after a block is committed and before any other plugin observes it."""
        self.passes("a block is committed")


class ObservedBlock(NamedTuple):
    """A block reported by the host."""

    block: CommittedBlock
    moment: int  # `Machine.now` at that time


class Listener:
    """Plugin that remembers every block, except for those undone by a power cut."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.observed: dict[int, ObservedBlock] = {}
        """Blocks by height."""
        self.replaced: list[int] = []
        """Heights reported with a different block than before."""

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Remember a block, reported for the first time or again."""
        before = self.observed.setdefault(block.height, ObservedBlock(block, self._now()))
        if before.block.hash != block.hash:
            self.replaced.append(block.height)

    def forget_after(self, moment: int) -> None:
        """Forget the blocks reported after a moment."""
        for height in [height for height, each in self.observed.items() if each.moment > moment]:
            del self.observed[height]


class Settings(NamedTuple):
    """Settings of a node that do not affect any hash."""

    retention: Retention = Retention()
    sync_exports: bool = False


SETTINGS = (
    Settings(),
    Settings(Retention(keep_versions=12), sync_exports=True),
    Settings(Retention(keep_blocks=40, keep_versions=30, cache_nodes=150)),
    Settings(Retention(keep_blocks=100, keep_versions=None, cache_nodes=0)),
    Settings(Retention(cache_nodes=40, map_bytes=1 << 30)),
)
"""Settings to choose from; a new node has the first."""


class Node:
    """One chain's node, and its exporter."""

    def __init__(
        self, identity: ChainIdentity, folder: Path, clock: Callable[[], int], machine: Machine
    ) -> None:
        """Create it; `start` opens the chain."""
        self.identity = identity
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
        """Hashes of the blocks that were visible outside, by height."""

    @property
    def observed(self) -> dict[int, ObservedBlock]:
        """Observed blocks, by height."""
        return self.listener.observed

    def announce(self) -> None:
        """Record the last block as visible outside."""
        record = self.chain.record(self.chain.height)
        self.announced.setdefault(self.chain.height, record.block_id.hash)

    @property
    def chain(self) -> LocalChain:
        """The running chain; raises LookupError while it is down."""
        if self._chain is None:
            raise LookupError(f"{self.identity.chain_id} is down")
        return self._chain

    @property
    def is_up(self) -> bool:
        """True while the node runs."""
        return self._chain is not None

    def start(self) -> None:
        """Open the chain from its home, if it is down. It stays down if it is killed, or the disk is full."""
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
        """End the process: orderly, or after a kill, where only the files are closed."""
        if self._exporter is not None:
            self._exporter.close()
        chain, self._chain, self._exporter = self._chain, None, None
        if chain is not None:
            try:
                chain.close()
            except DISK:
                if not self.machine.is_full:
                    raise

    def halted_by_disk(self) -> bool:
        """End the process if a failed write halted the chain; return whether it did.

        Raises the reason if it is not the full disk.
        """
        reason = self._chain.halted if self._chain is not None else None
        if reason is None:
            return False
        self.stop()
        if not isinstance(reason, DISK) or not self.machine.is_full:
            raise reason
        return True

    def perform(self, run: Callable[[LocalChain], object]) -> None:
        """Run an action on the chain, if it is up; a crash stops it.

        Raises errors that a full disk does not explain.
        """
        if self._chain is not None:
            try:
                run(self._chain)
            except Crashed:
                self.stop()
            except (IbcError, IavlError, OSError):
                if not self.halted_by_disk():
                    raise

    def lose_power(self, since: int, choice: Random) -> None:
        """Cut the machine's power at a moment after `since`."""
        until = self.machine.now()
        self.stop()
        self.listener.forget_after(self.machine.cut(self.folder, since, until, choice))

    def replica(self) -> LocalChain:
        """Return the same chain from its genesis, in memory, without further blocks."""
        return LocalChain(
            self.identity.chain_id,
            plugins=self._modules(),
            config=self._config(),
            genesis=self._genesis(),
            clock=lambda: START_NS,
        )

    def twin(self, home: Path) -> LocalChain:
        """Return another node of this chain on a copy of its home; raises the errors of opening it."""
        return self._opened_in(home, self._modules(), lambda: START_NS)

    def newcomer(self) -> HostApp:
        """Return the application of a node without state."""
        return HostApp(self._config(), self._modules())

    def _modules(self) -> list[object]:
        return [*plugins_with_queues(Config(account_prefix=self.identity.prefix)), *applications.plugins()]

    def _opened_in(self, home: Path, listed: list[object], clock: Callable[[], int]) -> LocalChain:
        return LocalChain(
            self.identity.chain_id,
            home,
            plugins=listed,
            config=self._config(),
            genesis=self._genesis(),
            clock=clock,
            retention=self.settings.retention,
        )

    def _watch(self, chain: LocalChain) -> None:
        """Add moments around the two writes of a block."""
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
        return HostConfig(self.identity.chain_id, self.identity.prefix)

    def _genesis(self) -> Genesis:
        rich = (coin(self.identity.denom, SUPPLY),)
        state = funded((self.identity.wallet(name).address.text, rich) for name in (*USERS, *RELAYERS))
        return Genesis({**state, **self.identity.numbers.app_state()}, START_NS, 1)
