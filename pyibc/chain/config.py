"""Configuration of the host chain. It is part of consensus: all validators must have the same."""

from dataclasses import replace
from hashlib import sha256

from ibc_module.upgrades import PlannedUpgrade
from pyibc.core.host.gas import DEFAULT_ANSWER_PRICES, UNLIMITED, AnswerPrices
from pyibc.core.value import value

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
