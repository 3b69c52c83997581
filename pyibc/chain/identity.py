"""The node's identity: one name and version for all protocols.

Under CometBFT, the node's id, addresses and version come from CometBFT; with the built-in consensus they are
defined here.
"""

from hashlib import sha256

from ibc_module import __version__
from light_client.tendermint.types import BLOCK_PROTOCOL
from pyibc.chain.config import HostConfig
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tendermint
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

NAME = "pyibc"
VERSION = __version__
P2P_PROTOCOL = 8  # CometBFT 0.38's
APP_PROTOCOL = 0  # as in the block headers


def declared_cometbft(config: HostConfig) -> str:
    """Return the CometBFT version that the node follows, in CometBFT's format: `0.38.17`."""
    return config.modules.cometbft.removeprefix("v")


def local_node(config: HostConfig, rpc_address: str) -> DefaultNodeInfo:
    """Return the identity of a node with the built-in consensus, which has no peers.

    Args:
        config: Configuration of the chain.
        rpc_address: Address of its JSON-RPC server (`tcp://...`).
    """
    info = DefaultNodeInfo(
        default_node_id=sha256(config.chain_id.encode()).hexdigest()[:40],
        listen_addr="tcp://127.0.0.1:0",
        network=config.chain_id,
        version=declared_cometbft(config),
        moniker="pyibc-localnet",
    )
    protocols = info.protocol_version
    protocols.p2p, protocols.block, protocols.app = P2P_PROTOCOL, BLOCK_PROTOCOL, APP_PROTOCOL
    info.other.tx_index, info.other.rpc_address = "on", rpc_address
    return info


def version_info(config: HostConfig, cometbft: str) -> tendermint.VersionInfo:
    """Return the application's name and version, and the module versions that it declares.

    Args:
        config: Configuration of the chain.
        cometbft: The CometBFT version that the node runs on or follows, without `v`.
    """
    modules = config.modules
    major = modules.ibc_go.removeprefix("v").split(".")[0]
    declared = (
        ("github.com/cometbft/cometbft", modules.cometbft and f"v{cometbft}"),
        ("github.com/cosmos/cosmos-sdk", modules.cosmos_sdk),
        (f"github.com/cosmos/ibc-go/v{major}", modules.ibc_go),
    )
    return tendermint.VersionInfo(
        name=NAME,
        app_name=NAME,
        version=VERSION,
        build_tags="python; build_deps name whose wire behaviour this follows",
        build_deps=[tendermint.Module(path=path, version=version) for path, version in declared if version],
        cosmos_sdk_version=modules.cosmos_sdk,
    )
