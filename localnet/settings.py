"""What a node and a network are told, as JSON beside their state."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from localnet.errors import BadSettings

S = TypeVar("S", bound=msgspec.Struct)

NODE_FILE = "node.json"
NETWORK_FILE = "network.json"
LOCAL, COMETBFT = "local", "cometbft"
"""Who makes a chain's blocks: its own process, or a CometBFT process a validator."""


class Ports(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one CometBFT validator listens, on the loopback interface."""

    rpc: int
    p2p: int
    grpc: int  # of its application process


class NodeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One chain's process."""

    chain_id: str
    rpc_port: int
    validators: int
    seed: str  # of the validators' keys
    prefix: str  # of addresses
    block_time_ms: int
    genesis_time_ns: int
    app_state: dict[str, Any]
    plugins: tuple[str, ...] = ()  # `module:callable`, each returning a list of plugins
    queues: bool = False  # with the queue protocol, open to everybody, and coins over it
    legacy_events: bool = False  # with the attributes that older relayers read
    export: bool = False  # every block into the home's `export`, for `pyibc index`
    consensus: str = LOCAL
    ports: tuple[Ports, ...] = ()  # a validator each, with CometBFT; `rpc_port` is the first one's

    def all_ports(self) -> set[int]:
        """Every port it listens at."""
        each = (port for ports in self.ports for port in (ports.rpc, ports.p2p, ports.grpc))
        return {self.rpc_port, *each}


class NetworkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several chains under one name."""

    name: str
    chain_ids: tuple[str, ...]
    prefix: str
    wallets: dict[str, str]  # name -> seed text of `Wallet.from_seed`


def read_node(home: Path) -> NodeSettings:
    """The settings of the node at `home`; raises OSError, BadSettings."""
    return read(home / NODE_FILE, NodeSettings)


def read_network(folder: Path) -> NetworkSettings:
    """The settings of the network at `folder`; raises OSError, BadSettings."""
    return read(folder / NETWORK_FILE, NetworkSettings)


def read(path: Path, kind: type[S]) -> S:
    """Settings in a file; raises OSError, BadSettings."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError as error:
        raise BadSettings(str(path), "there is no such file") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadSettings(str(path), str(error)) from error


def write(path: Path, settings: msgspec.Struct) -> None:
    """Writes settings whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n")
    fresh.replace(path)
