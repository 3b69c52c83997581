"""Relays packets between chains that it reads as any outsider does (docs/relayer.md)."""

from ibc_relayer.client import TendedClient
from ibc_relayer.driver import ClientDriver, ClientView, Drivers, FirstStates, Given, Held
from ibc_relayer.endpoint import ChainEndpoint, LightBlock, Proven, Tip
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from ibc_relayer.link import Link, Options
from ibc_relayer.metrics import Metrics
from ibc_relayer.open_clients import make_client_path
from ibc_relayer.open_path import make_path
from ibc_relayer.path import ClientPath, Path
from ibc_relayer.rpc_account import GasTerms
from ibc_relayer.rpc_client import Patience
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.tendermint import ClientTerms, TendermintDriver
from ibc_relayer.wallet import Wallet
from ibc_relayer.watch import Watch

__all__ = [
    "ChainEndpoint",
    "ClientDriver",
    "ClientPath",
    "ClientTerms",
    "ClientView",
    "Drivers",
    "EndpointRefused",
    "EndpointUnavailable",
    "FirstStates",
    "GasTerms",
    "Given",
    "Held",
    "LightBlock",
    "Link",
    "Metrics",
    "Options",
    "Path",
    "Patience",
    "Proven",
    "RelayerError",
    "RpcEndpoint",
    "TendedClient",
    "TendermintDriver",
    "Tip",
    "Wallet",
    "Watch",
    "make_client_path",
    "make_path",
]
