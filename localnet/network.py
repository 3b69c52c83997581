"""A named network: several chains, each in its own process, with their state below one folder."""

import os
import re
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from localnet.comet.homes import cometbft, restore_lost_homes, validator_homes, write_homes
from localnet.errors import BadSettings, LeftOver, NetworkExists, NoSuchNetwork
from localnet.process.lifecycle import (
    STOP_S,
    await_answer,
    await_owner,
    end,
    finish_removals,
    free_port,
    is_free,
    is_gone,
    remove,
    spawn,
    started_homes,
    stop_all,
)
from localnet.process.startup import NodeStatus, exclusive, owner_pid, status_of
from localnet.settings import (
    COMETBFT,
    LOCAL,
    MAX_BLOCK_MS,
    MAX_VALIDATORS,
    MIN_BLOCK_MS,
    NETWORK_FILE,
    NODE_FILE,
    Consensus,
    NetworkSettings,
    NodeSettings,
    Ports,
    funded,
    read_network,
    read_node,
    write,
)
from pyibc.chain.comet.settings import Abci, Retention
from pyibc.core.coin import coin
from pyibc.relayer.money.wallet import Wallet

PACKAGE_ROOT = Path(__file__).resolve().parent.parent
ROOT_VARIABLE = "PYIBC_LOCALNET"
"""Environment variable with the folder of all networks."""
_STATE = Path(".demo", "localnet")
WALLETS = ("alice", "bob", "relayer")
MAX_CHAINS = 26
_AMOUNT = 10**15
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")


def default_root() -> Path:
    """Return the folder of all networks, the same one from any working directory.

    It is that of PYIBC_LOCALNET if it is set; in a clone `.demo/localnet`; installed as a package
    `.demo/localnet` of the working directory or of the nearest folder above that has it, where earlier
    versions put it; else `.pyibc/localnet` of the home directory.
    """
    told = os.environ.get(ROOT_VARIABLE)
    if told:
        return Path(told).expanduser().absolute()
    if (PACKAGE_ROOT / "pyproject.toml").exists():
        return PACKAGE_ROOT / _STATE
    here = Path.cwd()
    found = (each / _STATE for each in (here, *here.parents))
    home = Path(os.path.expanduser("~/.pyibc/localnet"))  # noqa: PTH111 - a user may have no home directory
    return next((each for each in found if each.is_dir()), home.absolute())


class NetworkPlan(NamedTuple):
    """Parameters of a new network."""

    chains: int = 2
    validators: int = 4
    block_time_ms: int = 1_000
    prefix: str = "cosmos"
    plugins: tuple[str, ...] = ()
    queues: bool = False  # enable the queue protocol
    legacy_events: bool = False  # as in `NodeSettings`
    export: bool = False  # export every chain's blocks to `export` in its home
    consensus: Consensus = LOCAL  # see settings.py
    abci: Abci = "socket"  # as in `NodeSettings`
    keep_blocks: int | None = None  # as in `Retention`, like the next two
    keep_versions: int | None = 1000
    map_bytes: int = 1 << 38

    @property
    def retention(self) -> Retention:
        """Limits on the history that each chain stores."""
        return Retention(self.keep_blocks, self.keep_versions, self.map_bytes)


class Network:
    """A named network below `root`."""

    def __init__(self, name: str, root: Path | None = None) -> None:
        """Set the name; nothing is read or created.

        Raises:
            ValueError: the name is not 1 to 32 of a-z, 0-9 and inner dashes.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a network name: use a-z, 0-9 and inner dashes, at most 32")
        self.name = name
        self._root = default_root() if root is None else root
        self.folder = self._root / name

    @property
    def exists(self) -> bool:
        """True if the network has been created."""
        return (self.folder / NETWORK_FILE).exists()

    def settings(self) -> NetworkSettings:
        """Return the network's settings; raise NoSuchNetwork."""
        if not self.exists:
            raise NoSuchNetwork(self.name, str(self._root))
        return read_network(self.folder)

    def wallet(self, name: str) -> Wallet:
        """Return one of its funded test wallets; raise NoSuchNetwork, KeyError."""
        settings = self.settings()
        return Wallet.from_seed(settings.wallets[name], settings.prefix)

    def create(self, plan: NetworkPlan) -> None:
        """Write the network's settings; start no process.

        Raises:
            NetworkExists: the network was created before.
            LeftOver: the settings are missing, but chains of the network exist.
            ValueError: a parameter is out of range.
        """
        _check(plan)
        with exclusive(self._root):
            if self.exists:
                raise NetworkExists(self.name)
            # guard: h232-networks-are-made-over-old-state drop
            #   test_h232_a_network_without_its_settings_is_not_made_anew_over_its_state
            if started_homes(self.folder):
                raise LeftOver(str(self.folder), self.name)
            finish_removals(self._root)
            self._write(plan)

    def differing(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a `NetworkPlan` that the network has with other values, and these values.

        Of chains with different settings, the first one that differs counts.

        Raises:
            NoSuchNetwork: the network does not exist.
            BadSettings, OSError: its settings cannot be read.
        """
        settings = self.settings()
        nodes = [read_node(self.folder / chain_id) for chain_id in settings.chain_ids]
        of_network = {"chains": len(settings.chain_ids), "prefix": settings.prefix}
        differ = {}
        for name, value in wanted.items():
            has = [of_network[name]] if name in of_network else [getattr(node, name) for node in nodes]
            others = [other for other in has if other != value]
            if others:
                differ[name] = others[0]
        return differ

    def _write(self, plan: NetworkPlan) -> None:
        wallets = {name: f"{self.name}/{name}" for name in WALLETS}
        letters = "abcdefghijklmnopqrstuvwxyz"[: plan.chains]
        chain_ids = tuple(f"{self.name}-{letter}-1" for letter in letters)
        taken = {port for node in all_nodes(self._root) for port in node.all_ports()}
        for letter, chain_id in zip(letters, chain_ids, strict=True):
            node = self._node(plan, chain_id, letter, list(wallets.values()))
            node = with_free_ports(node, taken)
            taken |= node.all_ports()
            _write_node(self.folder / chain_id, node)
        settings = NetworkSettings(self.name, chain_ids, plan.prefix, wallets)
        write(self.folder / NETWORK_FILE, settings)

    def _node(self, plan: NetworkPlan, chain_id: str, letter: str, seeds: Sequence[str]) -> NodeSettings:
        coins = [coin("stake", _AMOUNT), coin(f"token{letter}", _AMOUNT)]
        addresses = [Wallet.from_seed(seed, plan.prefix).address.text for seed in seeds]
        shared = plan._asdict()
        del shared["chains"]
        return NodeSettings(
            chain_id=chain_id,
            rpc_port=0,
            seed=self.name,
            genesis_time_ns=time.time_ns(),
            app_state=funded((address, coins) for address in addresses),
            **shared,
        )

    def up(self) -> list[NodeStatus]:
        """Start the chains that are not running and wait until all respond.

        Raises:
            NoSuchNetwork: the network does not exist.
            NodeFailed: a process exited or did not respond in time; those just started are stopped.
            NoCometBft, WrongCometBft: a chain needs CometBFT, and there is no usable one.
            LostValidators: a chain's remaining validators have no quorum.
        """
        started: dict[str, subprocess.Popen[bytes]] = {}
        try:
            self._start(started)
            for chain_id in self.settings().chain_ids:
                await_answer(self.folder / chain_id, started.get(chain_id))
        except BaseException:
            for process in started.values():
                process.terminate()
            for process in started.values():
                end(process)
            raise
        for process in started.values():
            process.returncode = 0  # the process outlives this object; suppresses the ResourceWarning
        return self.status()

    def _start(self, started: dict[str, subprocess.Popen[bytes]]) -> None:
        """Start the chains that are not running, and add them to `started`."""
        chain_ids = self.settings().chain_ids
        with exclusive(self._root):
            for chain_id in chain_ids:
                home = self.folder / chain_id
                if owner_pid(home) is None:
                    self._prepare(home)
                    started[chain_id] = spawn(home)
            for chain_id, process in started.items():
                await_owner(self.folder / chain_id, process)

    def _prepare(self, home: Path) -> None:
        settings = read_node(home)
        if settings.consensus == COMETBFT:
            cometbft()  # its absence is told by this process, not by a log
            for each in validator_homes(home, settings):
                is_gone(each, STOP_S)  # it may still be exiting if its supervisor was just killed
            restore_lost_homes(home, settings)
        self._move_from_taken_port(home)

    def _move_from_taken_port(self, home: Path) -> None:
        """Assign new ports to a stopped node if one of its ports is in use."""
        node = read_node(home)
        if not all(is_free(port) for port in node.all_ports()):
            taken = {port for other in all_nodes(self._root) for port in other.all_ports()}
            _write_node(home, with_free_ports(node, taken))

    def status(self) -> list[NodeStatus]:
        """Return the status of every chain; raise NoSuchNetwork."""
        return [status_of(self.folder / chain_id) for chain_id in self.settings().chain_ids]

    def stop(self) -> list[str]:
        """Stop the running chains, by SIGKILL if SIGTERM has no effect; return their ids.

        Raises:
            NoSuchNetwork: the network does not exist.
        """
        return stop_all([self.folder / chain_id for chain_id in self.settings().chain_ids])

    def reset(self) -> None:
        """Stop the chains and delete all state, even if the settings are missing or unreadable.

        Raises:
            NoSuchNetwork: no part of the network exists.
        """
        homes = started_homes(self.folder)
        if not (self.exists or homes):
            raise NoSuchNetwork(self.name, str(self._root))
        with exclusive(self._root):  # no other process starts its chains meanwhile
            stop_all(homes)
            remove(self.folder)


def networks(root: Path | None = None) -> list[Network]:
    """Return all networks below `root`, by name; folders with invalid names are ignored."""
    folder = default_root() if root is None else root
    names = sorted(path.parent.name for path in folder.glob(f"*/{NETWORK_FILE}"))
    return [Network(name, folder) for name in names if _NAME.fullmatch(name)]


def all_nodes(root: Path) -> Iterator[NodeSettings]:
    """Iterate over the settings of all nodes of all networks below `root`."""
    for path in sorted(root.glob(f"*/*/{NODE_FILE}")):
        with suppress(BadSettings, OSError):  # a broken, foreign or just removed node uses no port
            yield read_node(path.parent)


def with_free_ports(node: NodeSettings, taken: Collection[int]) -> NodeSettings:
    """Return the same node with free ports not in `taken`; raise OSError if there are none."""
    if node.consensus == LOCAL:
        return msgspec.structs.replace(node, rpc_port=free_port(taken))
    used, found = set(taken), []
    for _ in range(node.validators):
        first = free_port(used, len(Ports.__struct_fields__))
        found.append(Ports(first, first + 1, first + 2))
        used |= {first, first + 1, first + 2}
    return msgspec.structs.replace(node, rpc_port=found[0].rpc, ports=tuple(found))


def _write_node(home: Path, node: NodeSettings) -> None:
    write(home / NODE_FILE, node)
    if node.consensus == COMETBFT:
        write_homes(home, node)


def _check(plan: NetworkPlan) -> None:
    if not 1 <= plan.chains <= MAX_CHAINS:
        raise ValueError(f"{plan.chains} chains; expected 1 to {MAX_CHAINS}")
    if not 1 <= plan.validators <= MAX_VALIDATORS:
        raise ValueError(f"{plan.validators} validators; expected 1 to {MAX_VALIDATORS}")
    if plan.consensus not in {LOCAL, COMETBFT}:
        raise ValueError(f"consensus is {plan.consensus!r}; expected {LOCAL} or {COMETBFT}")
    if plan.abci != "socket" and plan.consensus != COMETBFT:
        raise ValueError(f"abci {plan.abci!r} is for chains under CometBFT: use consensus {COMETBFT}")
    if not MIN_BLOCK_MS <= plan.block_time_ms <= MAX_BLOCK_MS:
        raise ValueError(f"block time is {plan.block_time_ms} ms; expected 10 ms to 1 h")
    plan.retention.check()
