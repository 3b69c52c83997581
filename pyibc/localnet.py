"""Chains to try things on: in this process, or networks of them on this machine (docs/localnet.md)."""

from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.errors import LocalnetError
from localnet.genesis import Genesis, funded
from localnet.network import Network, NetworkPlan

__all__ = [
    "Genesis",
    "LocalChain",
    "LocalEndpoint",
    "LocalnetError",
    "Network",
    "NetworkPlan",
    "funded",
]
