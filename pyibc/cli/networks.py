"""The localnet that a command names: where commands on any chain need `pyibc[localnet]`."""

from typing import TYPE_CHECKING

from ibc_core.installation import need

if TYPE_CHECKING:
    from localnet.network import Network
    from localnet.node_status import NodeStatus


class NetworkUnusable(Exception):
    """The network's files say nothing that can be used."""


def running(name: str) -> "tuple[Network, list[NodeStatus]]":
    """The network called `name`, and the status of each of its chains.

    Raises:
        ValueError: no network is called so, or none can be.
        NetworkUnusable: its settings cannot be read.
        NotInstalled: localnet is not there.
    """
    need("localnet")
    from localnet.errors import LocalnetError, NoSuchNetwork
    from localnet.network import Network

    try:
        network = Network(name)
        return network, network.status()
    except NoSuchNetwork as error:
        raise ValueError(str(error)) from error
    except LocalnetError as error:
        raise NetworkUnusable(str(error)) from error
