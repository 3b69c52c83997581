"""How a network's nodes are, as seen from outside of their processes."""

from pathlib import Path
from typing import NamedTuple

from localnet.comet.homes import validator_homes
from localnet.node_client import node_height
from localnet.ownership import owner_of
from localnet.settings import Ports, read_node


class ValidatorStatus(NamedTuple):
    """One CometBFT validator; its logs are `app.log` and `comet.log` in its home."""

    name: str
    height: int | None  # None: not running, or not answering
    rpc: str
    grpc: str
    home: Path


class NodeStatus(NamedTuple):
    """One chain's process."""

    chain_id: str
    pid: int | None  # None: not running
    height: int | None  # None: not running, or not answering
    rpc: str
    home: Path
    validators: tuple[ValidatorStatus, ...] = ()  # with CometBFT; `rpc` is the first one's


def status_of(home: Path) -> NodeStatus:
    """How the chain at `home` is; raises OSError, BadSettings where its settings are missing."""
    pid, settings = owner_of(home), read_node(home)
    height = node_height(settings.rpc_port, home.name) if pid is not None else None
    members = tuple(
        _validator_status(each, ports, home.name, is_running=pid is not None)
        for each, ports in zip(validator_homes(home, settings), settings.ports, strict=False)
    )
    return NodeStatus(home.name, pid, height, f"http://127.0.0.1:{settings.rpc_port}", home, members)


def _validator_status(home: Path, ports: Ports, chain_id: str, *, is_running: bool) -> ValidatorStatus:
    height = node_height(ports.rpc, chain_id) if is_running else None
    rpc, grpc = f"http://127.0.0.1:{ports.rpc}", f"127.0.0.1:{ports.grpc}"
    return ValidatorStatus(home.name, height, rpc, grpc, home)
