"""Status of a network's nodes, as observed from outside."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

from localnet.comet.homes import validator_homes
from localnet.process.home_lock import owner_pid
from localnet.settings import NodeSettings, Ports, read_node

# -- query of a local node's height

_TIMEOUT_S = 5.0


def node_height(port: int, chain_id: str) -> int | None:
    """Return the height of the node of `chain_id` at 127.0.0.1:`port`.

    None if the node does not respond or is of another chain.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/status")
        said = json.loads(connection.getresponse().read())["result"]
        if said["node_info"]["network"] != chain_id:
            return None
        return int(said["sync_info"]["latest_block_height"])
    except (OSError, HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()


# -- status of a network


class ValidatorStatus(NamedTuple):
    """One CometBFT validator; its logs are `app.log` and `comet.log` in its home."""

    name: str
    height: int | None  # None if not running or not responding
    rpc: str
    grpc: str
    home: Path


class NodeStatus(NamedTuple):
    """The status of one chain's process."""

    chain_id: str
    pid: int | None  # None if not running
    height: int | None  # None if not running or not responding
    rpc: str
    home: Path
    validators: tuple[ValidatorStatus, ...] = ()  # under CometBFT; `rpc` is the first validator's


def status_of(home: Path) -> NodeStatus:
    """Return the status of the chain at `home`; raise OSError, BadSettings."""
    pid, settings = owner_pid(home), read_node(home)
    heights = _heights(home.name, settings) if pid is not None else {}
    members = tuple(
        _validator_status(each, ports, heights.get(ports.rpc))
        for each, ports in zip(validator_homes(home, settings), settings.ports, strict=False)
    )
    url = f"http://127.0.0.1:{settings.rpc_port}"
    return NodeStatus(home.name, pid, heights.get(settings.rpc_port), url, home, members)


def _heights(chain_id: str, settings: NodeSettings) -> dict[int, int | None]:
    """Return heights by RPC port, queried in parallel so that timeouts do not add up."""
    ports = sorted({settings.rpc_port, *(each.rpc for each in settings.ports)})
    with ThreadPoolExecutor(len(ports)) as threads:
        return dict(zip(ports, threads.map(partial(node_height, chain_id=chain_id), ports), strict=True))


def _validator_status(home: Path, ports: Ports, height: int | None) -> ValidatorStatus:
    rpc, grpc = f"http://127.0.0.1:{ports.rpc}", f"127.0.0.1:{ports.grpc}"
    return ValidatorStatus(home.name, height, rpc, grpc, home)
