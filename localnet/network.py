"""Several chains under one name, each a process of this machine, their state below one folder."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ibc_module.core.coin import coin
from ibc_module.relayer.wallet import Wallet
from localnet.comet.homes import write_homes
from localnet.errors import NetworkExists, NodeFailed, NoSuchNetwork
from localnet.genesis import funded
from localnet.node_client import node_height
from localnet.ownership import owner_of
from localnet.ports import free_port, is_free
from localnet.settings import (
    COMETBFT,
    LOCAL,
    NETWORK_FILE,
    NODE_FILE,
    NetworkSettings,
    NodeSettings,
    Ports,
    read_network,
    read_node,
    write,
)

PACKAGE_ROOT = Path(__file__).resolve().parent.parent
WALLETS = ("alice", "bob", "relayer")
MAX_CHAINS = 26
_AMOUNT = 10**15
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
_START_S, _STOP_S, _POLL_S = 90.0, 30.0, 0.05
_LOG_TAIL = 2_000
_MODULES = {LOCAL: "localnet.node", COMETBFT: "localnet.comet.node"}


def default_root() -> Path:
    """`.demo/localnet` of the clone this runs from, or of the working directory where it is installed."""
    base = PACKAGE_ROOT if (PACKAGE_ROOT / "pyproject.toml").exists() else Path.cwd()
    return base / ".demo" / "localnet"


class NodeStatus(NamedTuple):
    """One chain's process."""

    chain_id: str
    pid: int | None  # None: not running
    height: int | None  # None: not running, or not answering
    rpc: str
    home: Path


class NetworkPlan(NamedTuple):
    """What a new network is made of."""

    chains: int = 2
    validators: int = 4
    block_time_ms: int = 1_000
    prefix: str = "cosmos"
    plugins: tuple[str, ...] = ()
    queues: bool = False  # with the queue protocol
    export: bool = False  # every chain's blocks into its home's `export`
    consensus: str = LOCAL  # who makes blocks; see settings.py


class Network:
    """A named network below `root`."""

    def __init__(self, name: str, root: Path | None = None) -> None:
        """Names it; nothing is read or made.

        Raises:
            ValueError: the name is not 1 to 32 of a-z, 0-9 and inner dashes.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a network's name: a-z, 0-9 and inner dashes, at most 32")
        self.name = name
        self._root = default_root() if root is None else root
        self.folder = self._root / name

    @property
    def exists(self) -> bool:
        """Whether it was made."""
        return (self.folder / NETWORK_FILE).exists()

    def settings(self) -> NetworkSettings:
        """What it was made of; raises NoSuchNetwork."""
        if not self.exists:
            raise NoSuchNetwork(self.name)
        return read_network(self.folder)

    def wallet(self, name: str) -> Wallet:
        """One of its funded wallets (test money); raises NoSuchNetwork, KeyError."""
        settings = self.settings()
        return Wallet.from_seed(settings.wallets[name], settings.prefix)

    def create(self, plan: NetworkPlan) -> None:
        """Writes its settings; no process starts.

        Raises:
            NetworkExists: it was made before.
            ValueError: the plan is impossible.
        """
        if self.exists:
            raise NetworkExists(self.name)
        _check(plan)
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
        return NodeSettings(
            chain_id=chain_id,
            rpc_port=0,
            validators=plan.validators,
            seed=f"{self.name}",
            prefix=plan.prefix,
            block_time_ms=plan.block_time_ms,
            genesis_time_ns=time.time_ns(),
            app_state=funded((address, coins) for address in addresses),
            plugins=plan.plugins,
            queues=plan.queues,
            export=plan.export,
            consensus=plan.consensus,
        )

    def up(self) -> list[NodeStatus]:
        """Starts the chains that do not run; returns when all answer.

        Raises:
            NoSuchNetwork: it was not made.
            NodeFailed: a process ended or did not answer in time; those started are stopped.
        """
        started: dict[str, subprocess.Popen[bytes]] = {}
        try:
            for chain_id in self.settings().chain_ids:
                home = self.folder / chain_id
                if owner_of(home) is None:
                    self._move_from_taken_port(home)
                    started[chain_id] = _spawn(home)
            for chain_id, process in started.items():
                _await_answer(self.folder / chain_id, process)
        except BaseException:
            for process in started.values():
                process.terminate()
            for process in started.values():
                _end(process)
            raise
        for process in started.values():
            process.returncode = 0  # it outlives this object on purpose: no warning when that goes
        return self.status()

    def _move_from_taken_port(self, home: Path) -> None:
        """A stopped node one of whose ports somebody else took meanwhile gets others."""
        node = read_node(home)
        if not all(is_free(port) for port in node.all_ports()):
            taken = {port for other in all_nodes(self._root) for port in other.all_ports()}
            _write_node(home, with_free_ports(node, taken))

    def status(self) -> list[NodeStatus]:
        """Every chain; raises NoSuchNetwork."""
        return [_status(self.folder / chain_id) for chain_id in self.settings().chain_ids]

    def stop(self) -> list[str]:
        """Stops the chains that run, cleanly where they let it; returns their ids.

        Raises:
            NoSuchNetwork: it was not made.
        """
        homes = [self.folder / chain_id for chain_id in self.settings().chain_ids]
        running = [home for home in homes if owner_of(home) is not None]
        for home in running:
            _signal(home, signal.SIGTERM)
        for home in running:
            if not _gone(home, _STOP_S):
                _signal(home, signal.SIGKILL)
                _gone(home, _STOP_S)
        return [home.name for home in running]

    def reset(self) -> None:
        """Stops the chains and removes all their state; raises NoSuchNetwork."""
        self.stop()
        shutil.rmtree(self.folder)


def networks(root: Path | None = None) -> list[Network]:
    """Every network below `root`, by name."""
    folder = default_root() if root is None else root
    names = sorted(path.parent.name for path in folder.glob(f"*/{NETWORK_FILE}"))
    return [Network(name, folder) for name in names]


def all_nodes(root: Path) -> Iterator[NodeSettings]:
    """Settings of every node of every network below `root`."""
    for path in sorted(root.glob(f"*/*/{NODE_FILE}")):
        yield read_node(path.parent)


def with_free_ports(node: NodeSettings, taken: Collection[int]) -> NodeSettings:
    """The same node at ports that are free and not `taken`; raises OSError where there are none."""
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
        raise ValueError(f"{plan.chains} chains: 1 to {MAX_CHAINS}")
    if not 1 <= plan.validators <= 200:
        raise ValueError(f"{plan.validators} validators: 1 to 200")
    if plan.consensus not in {LOCAL, COMETBFT}:
        raise ValueError(f"consensus {plan.consensus!r}: {LOCAL} or {COMETBFT}")
    if not 10 <= plan.block_time_ms <= 3_600_000:
        raise ValueError(f"block time of {plan.block_time_ms} ms: 10 ms to 1 h")


def _spawn(home: Path) -> subprocess.Popen[bytes]:
    paths = [str(PACKAGE_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with (home / "node.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", _MODULES[read_node(home).consensus], str(home)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,
        )


def _await_answer(home: Path, process: subprocess.Popen[bytes]) -> None:
    deadline, port = time.monotonic() + _START_S, read_node(home).rpc_port
    while not node_height(port, home.name):  # 0: CometBFT answers before the first block
        if process.poll() is not None:
            raise NodeFailed(home.name, f"ended with exit code {process.returncode}", _tail(home))
        if time.monotonic() > deadline:
            raise NodeFailed(home.name, f"no answer within {_START_S:g} s", _tail(home))
        time.sleep(_POLL_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Waits for a process that was told to end; one with children of its own needs a moment for it."""
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(home: Path) -> str:
    return (home / "node.log").read_bytes()[-_LOG_TAIL:].decode(errors="replace")


def _status(home: Path) -> NodeStatus:
    pid, port = owner_of(home), read_node(home).rpc_port
    height = node_height(port, home.name) if pid is not None else None
    return NodeStatus(home.name, pid, height, f"http://127.0.0.1:{port}", home)


def _signal(home: Path, number: signal.Signals) -> None:
    pid = owner_of(home)  # asked again: only who holds the lock is signalled
    if pid is not None:
        os.kill(pid, number)


def _gone(home: Path, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while owner_of(home) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
