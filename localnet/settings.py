"""Settings of nodes and networks, JSON files next to their state."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from localnet.errors import BadSettings
from pyibc.chain.comet.durable import replace_synced
from pyibc.chain.comet.errors import WrongSettings
from pyibc.chain.comet.retention import Retention
from pyibc.chain.comet.settings import Abci, S, UpgradeSettings, read_settings
from pyibc.core.address import PREFIX
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
