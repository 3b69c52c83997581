"""What one chain's host is configured with; part of the chain's rules, so every validator has the same."""

from dataclasses import replace
from hashlib import sha256

from ibc_core.value import value

FEE_COLLECTOR = "fee_collector"


@value
class GasPrices:
    """Gas that is not store access, and what gas costs."""

    tx_byte: int = 10  # gas a byte of the transaction
    signature: int = 1000  # gas a secp256k1 verification
    denom: str = "stake"  # what fees are paid in
    micro: int = 0  # least price CheckTx asks for, in millionths of `denom` a gas


@value
class TxLimits:
    """Bounds that a transaction is held to before anything of it is believed."""

    tx_bytes: int = 1_048_576
    memo_bytes: int = 256
    signatures: int = 7
    messages: int = 1_000


@value
class Modules:
    """What the node says it follows when it is asked for its build (`GetNodeInfo`).

    Relayers decide by these versions how to talk to a node, and which ones they take at all. They name whose
    behaviour the wire has, not what the process is made of: the same answer calls the application `pyibc`.
    """

    cosmos_sdk: str = "v0.53.4"
    ibc_go: str = "v10.4.0"
    cometbft: str = "v0.38.17"


@value
class StakingTerms:
    """What `cosmos.staking.v1beta1.Query/Params` answers: this host has no staking module of its own."""

    unbonding_s: int = 21 * 24 * 3600  # light clients of this chain trust a header for less than this
    max_validators: int = 100
    max_entries: int = 7
    historical_entries: int = 10_000  # relayers call a node with none unhealthy


@value
class HostConfig:
    """One chain's rules."""

    chain_id: str
    prefix: str = "cosmos"  # of bech32 addresses
    module_accounts: tuple[str, ...] = (FEE_COLLECTOR, "transfer")  # blocked receivers
    gas: GasPrices = GasPrices()
    limits: TxLimits = TxLimits()
    block_bytes: int = 22_020_096
    block_gas: int = -1  # -1: no limit
    msg_index: bool = True  # SDK 0.50 and later: each attribute list ends with the message's index
    legacy_events: bool = False  # adds attributes of ibc-go before v9 (`localnet/host/legacy_events.py`)
    modules: Modules = Modules()
    staking: StakingTerms = StakingTerms()

    def for_chain(self, chain_id: str) -> "HostConfig":
        """The same rules under another id."""
        return replace(self, chain_id=chain_id)


def module_address(name: str) -> bytes:
    """Address of a module's own account: the first 20 bytes of SHA-256 of its name, as in the SDK."""
    return sha256(name.encode()).digest()[:20]
