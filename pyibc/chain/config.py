"""Configuration of the host chain, its name and version, and the validation of its genesis sections.

Under CometBFT, the node's id, addresses and version come from CometBFT; with the built-in consensus they are
defined here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from ibc_module import __version__
from ibc_module.upgrades import PlannedUpgrade
from light_client.tendermint.types import BLOCK_PROTOCOL
from pyibc.core.address import Address, AddressCodec
from pyibc.core.errors import InvalidAddress
from pyibc.core.host.gas import DEFAULT_ANSWER_PRICES, UNLIMITED, AnswerPrices
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.value import value
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tendermint
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

FEE_COLLECTOR = "fee_collector"
"""Name of the module account that receives fees."""


@value
class GasPrices:
    """Gas costs other than store access, and the minimum gas price."""

    tx_byte: int = 10  # gas per byte of the transaction
    signature: int = 1000  # gas per secp256k1 verification
    denom: str = "stake"  # fee denomination
    micro: int = 0  # minimum gas price of CheckTx, in millionths of `denom` per gas
    answers: AnswerPrices = DEFAULT_ANSWER_PRICES  # gas prices of responses and events


@value
class TxLimits:
    """Limits of a transaction, checked before anything else."""

    tx_bytes: int = 1_048_576
    memo_bytes: int = 256
    signatures: int = 7
    messages: int = 1_000
    gas: int = 10_000_000_000  # maximum gas limit of a transaction on chains without a lower block limit


@value
class Modules:
    """The module versions reported by `GetNodeInfo`.

    Relayers use these versions to decide how to talk to a node, and whether they support it. They name the
    software whose wire behaviour the host follows, not the packages of the process; the same response names
    the application `pyibc`.
    """

    cosmos_sdk: str = "v0.53.4"
    ibc_go: str = "v10.4.0"
    cometbft: str = "v0.38.17"


@value
class StakingParams:
    """The response to `cosmos.staking.v1beta1.Query/Params`; this host has no staking module."""

    unbonding_s: int = 21 * 24 * 3600  # upper bound of the trusting period of this chain's clients
    max_validators: int = 100
    max_entries: int = 7
    historical_entries: int = 10_000  # relayers report a node with 0 as unhealthy


@value
class HostConfig:
    """Consensus rules of one chain, and a node's simulation limits."""

    chain_id: str
    prefix: str = "cosmos"  # of bech32 addresses
    module_accounts: tuple[str, ...] = (FEE_COLLECTOR, "transfer")  # may not receive coins from users
    gas: GasPrices = GasPrices()
    limits: TxLimits = TxLimits()
    block_bytes: int = 22_020_096
    block_gas: int = 500_000_000  # -1: no limit
    block_data_bytes: int = 2_097_152  # of all responses in a block; ABCI over gRPC carries 4 MiB
    msg_index: bool = True  # append the attribute `msg_index`, as SDK 0.50 and later
    legacy_events: bool = False  # add the event attributes of ibc-go before v9
    modules: Modules = Modules()
    staking: StakingParams = StakingParams()
    upgrade: PlannedUpgrade | None = None  # planned by the operators; the authority plans one with a message

    # Limits of one simulation, chosen by the node: anyone may request simulations.
    simulation_gas: int = 100_000_000
    simulation_bytes: int = 4_194_304  # of its events
    simulation_s: int = 10

    @property
    def gas_of_block(self) -> int:
        """Gas limit of a block."""
        return self.block_gas if self.block_gas >= 0 else UNLIMITED

    @property
    def gas_of_simulation(self) -> int:
        """Gas limit of a simulation: always finite, since no fee is paid."""
        return min(self.gas_of_block, self.simulation_gas)

    def for_chain(self, chain_id: str) -> "HostConfig":
        """Return the same rules with another chain id."""
        return replace(self, chain_id=chain_id)


def module_address(name: str) -> bytes:
    """Return a module account's address: the first 20 bytes of SHA-256 of its name, as in the SDK."""
    return sha256(name.encode()).digest()[:20]


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


Entry = Mapping[str, Any]


def entries(part: Any, name: str, key: str) -> Iterator[tuple[str, Entry]]:
    """Iterate over the objects in the list `name` of a section, each with its key; empty if it is absent.

    Args:
        part: Genesis section.
        name: Name of the list.
        key: Key of the section, for errors.

    Raises:
        InvalidGenesis: the section, the list or an entry has the wrong type.
    """
    if not isinstance(part, Mapping):
        raise InvalidGenesis(key, part, "is not an object")
    listed = part.get(name, [])
    if not isinstance(listed, list | tuple):
        raise InvalidGenesis(f"{key}.{name}", listed, "is not a list")
    for number, entry in enumerate(listed):
        if not isinstance(entry, Mapping):
            raise InvalidGenesis(f"{key}.{name}[{number}]", entry, "is not an object")
        yield f"{key}.{name}[{number}]", entry


def text(entry: Entry, name: str, key: str, default: str | None = None) -> str:
    """Return a string value.

    Raises:
        InvalidGenesis: the value is absent without a default, or not a string.
    """
    found = entry.get(name, default)
    if not isinstance(found, str):
        raise InvalidGenesis(f"{key}.{name}", found, "is not a string")
    return found


def address(entry: Entry, key: str, addresses: AddressCodec) -> Address:
    """Return the entry's `address`.

    Raises:
        InvalidGenesis: the value is not an address of this chain.
    """
    found = text(entry, "address", key)
    try:
        return addresses.decode(found, "address")
    except InvalidAddress:
        raise InvalidGenesis(f"{key}.address", found, "is not an address of this chain") from None


def number(entry: Entry, name: str, key: str, limit: int) -> int:
    """Return an integer from 0 to `limit`; 0 if absent.

    Raises:
        InvalidGenesis: the value is not an integer, or out of range.
    """
    found = entry.get(name, 0)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= limit:
        raise InvalidGenesis(f"{key}.{name}", found, f"is not an integer from 0 to {limit}")
    return found
