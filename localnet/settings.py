"""Settings of nodes and networks, JSON files next to their state, and a chain's genesis.

`localnet.toml` in a project's folder is the network that `pyibc localnet up` makes there.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from localnet.consensus.sign_state import ValidatorKey, validator_keys
from localnet.errors import BadSettings, WrongPlan
from pyibc.chain.comet.settings import (
    Abci,
    Retention,
    S,
    UpgradeSettings,
    WrongSettings,
    read_settings,
    replace_synced,
)
from pyibc.core.address import PREFIX
from pyibc.core.coin import Coin
from pyibc.core.numbers import MAX_I64

NODE_FILE = "node.json"
NETWORK_FILE = "network.json"
LOCAL: Final = "local"
COMETBFT: Final = "cometbft"
"""Consensus engines: built-in, or one CometBFT process per validator."""

Consensus = Literal["local", "cometbft"]

MAX_VALIDATORS = 200
MIN_BLOCK_MS, MAX_BLOCK_MS = 10, 3_600_000

_Port = Annotated[int, Meta(ge=0, le=65535)]
_Count = Annotated[int, Meta(ge=1, le=MAX_VALIDATORS)]
_BlockTime = Annotated[int, Meta(ge=MIN_BLOCK_MS, le=MAX_BLOCK_MS)]
_Moment = Annotated[int, Meta(ge=0, le=MAX_I64)]
_Prefix = Annotated[str, Meta(pattern=PREFIX)]


class Ports(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ports of one CometBFT validator, on the loopback interface."""

    rpc: _Port
    p2p: _Port
    grpc: _Port  # served by the application process


class NodeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of one chain's node."""

    chain_id: str
    rpc_port: _Port
    validators: _Count
    seed: str  # for the validators' keys
    prefix: _Prefix  # of addresses
    block_time_ms: _BlockTime
    genesis_time_ns: _Moment
    app_state: dict[str, Any]
    plugins: tuple[str, ...] = ()  # `module:callable`, each returning a list of plugins
    queues: bool = False  # enable the queue protocol, with open registration and coins
    legacy_events: bool = False  # emit the attributes that older relayers read
    export: bool = False  # export every block to `export` in the home, for `pyibc index`
    consensus: Consensus = LOCAL
    abci: Abci = "socket"  # under CometBFT
    ports: tuple[Ports, ...] = ()  # by validator, under CometBFT; `rpc_port` is the first one's
    keep_blocks: int | None = None  # as in `Retention`, like the next three
    keep_versions: int | None = 1000
    map_bytes: int = 1 << 38
    cache_nodes: int = 500_000
    upgrade: UpgradeSettings | None = None  # docs/upgrades.md

    @property
    def retention(self) -> Retention:
        """Limits on the history that the node stores."""
        return Retention(self.keep_blocks, self.keep_versions, self.map_bytes, self.cache_nodes)

    def all_ports(self) -> set[int]:
        """Return all ports that the node listens on."""
        each = (port for ports in self.ports for port in (ports.rpc, ports.p2p, ports.grpc))
        return {self.rpc_port, *each}


class NetworkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a network."""

    name: str
    chain_ids: tuple[str, ...]
    prefix: _Prefix
    wallets: dict[str, str]  # name -> seed text of `Wallet.from_seed`


def read_node(home: Path) -> NodeSettings:
    """Return the settings of the node at `home`; raise OSError, BadSettings."""
    return read(home / NODE_FILE, NodeSettings)


def read_network(folder: Path) -> NetworkSettings:
    """Return the settings of the network at `folder`; raise OSError, BadSettings."""
    return read(folder / NETWORK_FILE, NetworkSettings)


def read(path: Path, kind: type[S]) -> S:
    """Read a settings file of a network; raise OSError, BadSettings."""
    try:
        return read_settings(path, kind)
    except WrongSettings as error:
        raise BadSettings(error.path, error.reason) from error


def write(path: Path, settings: msgspec.Struct) -> None:
    """Write a settings file atomically and sync it to disk. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_synced(path, msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n")


DEFAULT_POWER = 10


class Genesis(NamedTuple):
    """The initial state of a chain, written by its first block."""

    app_state: Mapping[str, Any] = {}  # by module
    time_ns: int | None = None  # of the first block, unix nanoseconds; None for the clock's
    validators: int = 4  # with equal power
    seed: str = "localnet"  # for the validators' keys
    initial_height: int = 1  # of the first block; above 1 for a chain restarted from an export
    keys_of: str = ""  # chain id that the validators' keys derive from, for a next revision; "" for its own

    def keys(self, chain_id: str) -> list[ValidatorKey]:
        """Return the validators' keys; they differ between chain ids with the same seed."""
        return validator_keys(f"{self.seed}/{self.keys_of or chain_id}", self.validators)


def funded(holders: Iterable[tuple[str, Iterable[Coin]]]) -> dict[str, Any]:
    """Return an app state that gives each address its coins."""
    balances = [
        {"address": address, "coins": [{"denom": each.denom, "amount": str(each.amount)} for each in coins]}
        for address, coins in holders
    ]
    return {"bank": {"balances": balances}}


FILE = "localnet.toml"
_MAX_BYTES = 64 * 1024


class PlanFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Content of the file; what is absent is as without a file."""

    name: str = "default"
    chains: Annotated[int, Meta(ge=1, le=26)] = 2
    validators: Annotated[int, Meta(ge=1, le=MAX_VALIDATORS)] = 4
    block_time_ms: Annotated[int, Meta(ge=MIN_BLOCK_MS, le=MAX_BLOCK_MS)] = 1_000
    prefix: Annotated[str, Meta(pattern=PREFIX)] = "cosmos"
    plugins: tuple[str, ...] = ()
    consensus: Consensus = "local"
    queues: bool = False
    legacy_events: bool = False
    export: bool = False

    def plan(self) -> dict[str, Any]:
        """Return the fields of a `NetworkPlan`."""
        fields = msgspec.structs.asdict(self)
        del fields["name"]
        return fields


def read_plan(folder: Path) -> PlanFile | None:
    """Return the plan in a folder; None if there is none.

    Raises:
        WrongPlan: the file is malformed; the message has its path and the wrong key.
        OSError: the file cannot be read.
    """
    path = folder / FILE
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(raw) > _MAX_BYTES:
        raise WrongPlan(str(path), f"the file is larger than {_MAX_BYTES} bytes")
    try:
        return msgspec.toml.decode(raw, type=PlanFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongPlan(str(path), str(error)) from error
