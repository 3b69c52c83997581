"""Connects a configured chain: its nodes, its key, what it pays."""

from ibc_relayer.daemon.config import ChainConfig
from ibc_relayer.daemon.pausing import pause
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.wallet import Wallet


def connect(chain: ChainConfig) -> RpcEndpoint:
    """The endpoint of `chain`.

    Raises:
        EndpointUnavailable: no node answers.
        OSError, ValueError: the key cannot be read.
    """
    with open(chain.key.file or "", encoding="ascii") as file:  # noqa: PTH123
        key = bytes.fromhex(file.read().strip())
    wallet = Wallet(key, chain.prefix)
    return RpcEndpoint.connect(
        chain.rpc[0], wallet, GasConfig(denom=chain.fees.denom), RpcConfig(sleep=pause)
    )
