"""Configuration of the host. It is part of the chain's rules: all validators must have the same."""

from dataclasses import replace
from hashlib import sha256

from ibc_core.host.gas import UNLIMITED
from ibc_core.value import value

FEE_COLLECTOR = "fee_collector"


@value
class GasPrices:
    """Gas costs other than store access, and the minimum gas price."""

    tx_byte: int = 10  # gas per byte of the transaction
    signature: int = 1000  # gas per secp256k1 verification
    denom: str = "stake"  # fee denomination
    micro: int = 0  # minimum gas price of CheckTx, in millionths of `denom` per gas


@value
class TxLimits:
    """Limits of a transaction, checked before anything else."""

    tx_bytes: int = 1_048_576
    memo_bytes: int = 256
    signatures: int = 7
    messages: int = 1_000


@value
class Modules:
    """The module versions reported by `GetNodeInfo`.

    Relayers use these versions to decide how to talk to a node, and whether to support it at all. They name
    the software whose wire behaviour the host follows, not what the process is built from; the same response
    calls the application `pyibc`.
    """

    cosmos_sdk: str = "v0.53.4"
    ibc_go: str = "v10.4.0"
    cometbft: str = "v0.38.17"


@value
class StakingTerms:
    """The response to `cosmos.staking.v1beta1.Query/Params`; this host has no staking module."""

    unbonding_s: int = 21 * 24 * 3600  # upper bound of the trusting period of this chain's clients
    max_validators: int = 100
    max_entries: int = 7
    historical_entries: int = 10_000  # relayers report a node with 0 as unhealthy


@value
class HostConfig:
    """The rules of one chain."""

    chain_id: str
    prefix: str = "cosmos"  # of bech32 addresses
    module_accounts: tuple[str, ...] = (FEE_COLLECTOR, "transfer")  # may not receive coins from users
    gas: GasPrices = GasPrices()
    limits: TxLimits = TxLimits()
    block_bytes: int = 22_020_096
    block_gas: int = -1  # -1: no limit
    msg_index: bool = True  # append the attribute `msg_index`, as SDK 0.50 and later
    legacy_events: bool = False  # add the attributes of ibc-go before v9 (`localnet/host/legacy_events.py`)
    modules: Modules = Modules()
    staking: StakingTerms = StakingTerms()

    simulation_gas: int = 100_000_000  # of one simulation, which anybody may ask for; a node's own choice

    @property
    def gas_of_block(self) -> int:
        """The most gas that the transactions of a block may use."""
        return self.block_gas if self.block_gas >= 0 else UNLIMITED

    @property
    def gas_of_simulation(self) -> int:
        """The most gas that a simulation may use: always finite, since nobody pays for it."""
        return min(self.gas_of_block, self.simulation_gas)

    def for_chain(self, chain_id: str) -> "HostConfig":
        """The same rules with another chain id."""
        return replace(self, chain_id=chain_id)


def module_address(name: str) -> bytes:
    """A module account's address: the first 20 bytes of SHA-256 of its name, as in the SDK."""
    return sha256(name.encode()).digest()[:20]
