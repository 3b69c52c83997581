"""Relays packets between chains that it reads as any outsider does (docs/relayer.md)."""

from ibc_relayer.driver import (
    ClientDriver,
    ClientView,
    ConsensusStateWithHeight,
    Drivers,
    InitialStates,
    SubmittedHeader,
)
from ibc_relayer.endpoint import ChainEndpoint, LightBlock, Proven, Tip
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.link import Link, Options
from ibc_relayer.metrics import Metrics
from ibc_relayer.misbehaviour_monitor import MisbehaviourMonitor
from ibc_relayer.open_clients import make_client_path
from ibc_relayer.open_path import make_path
from ibc_relayer.path import ClientPath, Path
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.tendermint import ClientSettings, TendermintDriver
from ibc_relayer.wallet import Wallet

__all__ = [
    "ChainEndpoint",
    "ClientDriver",
    "ClientPath",
    "ClientSettings",
    "ClientView",
    "ConsensusStateWithHeight",
    "Drivers",
    "EndpointRefused",
    "EndpointUnavailable",
    "ForeignClient",
    "GasConfig",
    "InitialStates",
    "LightBlock",
    "Link",
    "Metrics",
    "MisbehaviourMonitor",
    "Options",
    "Path",
    "Proven",
    "RelayerError",
    "RpcConfig",
    "RpcEndpoint",
    "SubmittedHeader",
    "TendermintDriver",
    "Tip",
    "Wallet",
    "make_client_path",
    "make_path",
]
