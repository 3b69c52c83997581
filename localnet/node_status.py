"""The status of a network's nodes, as observed from outside."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from localnet.comet.homes import validator_homes
from localnet.home_lock import owner_pid
from localnet.node_client import node_height
from localnet.settings import NodeSettings, Ports, read_node


class ValidatorStatus(NamedTuple):
    """One CometBFT validator; its logs are `app.log` and `comet.log` in its home."""

    name: str
    height: int | None  # None: not running or not responding
    rpc: str
    grpc: str
    home: Path


class NodeStatus(NamedTuple):
    """The status of one chain's process."""

    chain_id: str
    pid: int | None  # None: not running
    height: int | None  # None: not running or not responding
    rpc: str
    home: Path
    validators: tuple[ValidatorStatus, ...] = ()  # under CometBFT; `rpc` is the first validator's


def status_of(home: Path) -> NodeStatus:
    """The status of the chain at `home`; raises OSError, BadSettings."""
    pid, settings = owner_pid(home), read_node(home)
    heights = _heights(home.name, settings) if pid is not None else {}
    members = tuple(
        _validator_status(each, ports, heights.get(ports.rpc))
        for each, ports in zip(validator_homes(home, settings), settings.ports, strict=False)
    )
    url = f"http://127.0.0.1:{settings.rpc_port}"
    return NodeStatus(home.name, pid, heights.get(settings.rpc_port), url, home, members)


def _heights(chain_id: str, settings: NodeSettings) -> dict[int, int | None]:
    """Heights by RPC port, queried in parallel so that timeouts do not add up."""
    ports = sorted({settings.rpc_port, *(each.rpc for each in settings.ports)})
    with ThreadPoolExecutor(len(ports)) as threads:
        return dict(zip(ports, threads.map(partial(node_height, chain_id=chain_id), ports), strict=True))


def _validator_status(home: Path, ports: Ports, height: int | None) -> ValidatorStatus:
    rpc, grpc = f"http://127.0.0.1:{ports.rpc}", f"127.0.0.1:{ports.grpc}"
    return ValidatorStatus(home.name, height, rpc, grpc, home)
