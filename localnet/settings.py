"""Settings of nodes and networks, JSON files next to their state."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from ibc_core.address import PREFIX
from ibc_core.numbers import MAX_I64
from localnet.durable import replace_synced
from localnet.errors import BadSettings
from localnet.retention import Retention

S = TypeVar("S", bound=msgspec.Struct)

NODE_FILE = "node.json"
NETWORK_FILE = "network.json"
LOCAL: Final = "local"
COMETBFT: Final = "cometbft"
"""Consensus engines: in the chain's own process, or one CometBFT process per validator."""

Consensus = Literal["local", "cometbft"]

Abci = Literal["socket", "grpc"]
"""How CometBFT speaks with its application: its setting `abci`."""

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

    @property
    def retention(self) -> Retention:
        """How much of its past the node keeps."""
        return Retention(self.keep_blocks, self.keep_versions, self.map_bytes, self.cache_nodes)

    def all_ports(self) -> set[int]:
        """All ports the node listens on."""
        each = (port for ports in self.ports for port in (ports.rpc, ports.p2p, ports.grpc))
        return {self.rpc_port, *each}


class NetworkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a network."""

    name: str
    chain_ids: tuple[str, ...]
    prefix: _Prefix
    wallets: dict[str, str]  # name -> seed text of `Wallet.from_seed`


def read_node(home: Path) -> NodeSettings:
    """The settings of the node at `home`; raises OSError, BadSettings."""
    return read(home / NODE_FILE, NodeSettings)


def read_network(folder: Path) -> NetworkSettings:
    """The settings of the network at `folder`; raises OSError, BadSettings."""
    return read(folder / NETWORK_FILE, NetworkSettings)


def read(path: Path, kind: type[S]) -> S:
    """Reads a settings file; raises OSError, BadSettings."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError as error:
        raise BadSettings(str(path), "there is no such file") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadSettings(str(path), str(error)) from error


def write(path: Path, settings: msgspec.Struct) -> None:
    """Writes a settings file atomically; it is on the disk when this returns. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_synced(path, msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n")
