"""Following a chain into its next revision (ibc-go `07-tendermint/upgrade.go`)."""

from ibc_core.errors import InvalidClient, InvalidUpgradeClient
from ibc_core.height import Height
from ibc_core.numbers import MAX_I64
from ibc_core.proofs import verify_membership
from light_client.tendermint.state_codec import (
    decode_client_state,
    pack_client_state,
    pack_consensus_state,
)
from light_client.tendermint.states import (
    SENTINEL_ROOT,
    ClientState,
    ConsensusState,
    check_client_state,
)
from light_client.tendermint.voting import TrustLevel

_DECIMALS = 10**18  # of the Cosmos SDK's LegacyDec


def verify_upgrade(
    state: ClientState,
    trusted: ConsensusState,
    upgraded: ClientState,
    upgraded_consensus: ConsensusState,
    client_proof: bytes,
    consensus_proof: bytes,
) -> tuple[ClientState, ConsensusState]:
    """Checks that the chain committed to the upgraded states; returns the client's next states.

    Args:
        state: of the client.
        trusted: its newest consensus state; the chain's last block before the upgrade.
        upgraded: the committed client state; the fields a client chooses itself are ignored.
        upgraded_consensus: the committed consensus state.
        client_proof: MerkleProof of the first.
        consensus_proof: MerkleProof of the second.

    Raises:
        InvalidUpgradeClient: the client follows no upgrades.
        CommitmentError: a proof does not show it.
        TendermintError, InvalidClient: the next client state would be invalid.
    """
    if not state.upgrade_path:
        raise InvalidUpgradeClient("no upgrade path set")
    committed = pack_client_state(_without_own_choices(upgraded))
    path = upgrade_path(state, "upgradedClient")
    verify_membership(state.proof_specs, trusted.root, path, committed, client_proof)
    committed = pack_consensus_state(upgraded_consensus)
    path = upgrade_path(state, "upgradedConsState")
    verify_membership(state.proof_specs, trusted.root, path, committed, consensus_proof)
    new_state = _next_state(state, upgraded)
    check_client_state(new_state)
    # Proofs cannot be verified against it: the new revision's first root is not known yet.
    return new_state, upgraded_consensus._replace(root=SENTINEL_ROOT)


def committed_client_state(client_state: bytes) -> bytes:
    """What a chain commits to of its next revision's client state, both as in an Any: as a whole Any.

    Raises:
        InvalidClient: the bytes are no client state.
    """
    return pack_client_state(_without_own_choices(decode_client_state(client_state)))


def committed_consensus_state(time_ns: int, next_validators_hash: bytes) -> bytes:
    """What a chain commits to, as an Any, in its last block of a revision: that block's time and next set."""
    return pack_consensus_state(ConsensusState(time_ns, b"", next_validators_hash))


def upgrade_path(state: ClientState, key: str) -> tuple[bytes, ...]:
    """Where the chain commits to its next states, in the store of its upgrade module."""
    *stores, last = state.upgrade_path
    return (
        *(name.encode() for name in stores),
        f"{last}/{state.latest_height.revision_height}/{key}".encode(),
    )


def _without_own_choices(upgraded: ClientState) -> ClientState:
    """Only what a chain can know of its clients (`ZeroCustomFields`)."""
    return ClientState(
        upgraded.chain_id,
        TrustLevel(0, 0),
        0,
        upgraded.unbonding_period_ns,
        0,
        upgraded.latest_height,
        Height(0, 0),
        upgraded.proof_specs,
        upgraded.upgrade_path,
    )


def _next_state(state: ClientState, upgraded: ClientState) -> ClientState:
    trusting = state.trusting_period_ns
    if upgraded.unbonding_period_ns < state.unbonding_period_ns:
        trusting = _scaled(trusting, upgraded.unbonding_period_ns, state.unbonding_period_ns)
    return ClientState(
        upgraded.chain_id,
        state.trust_level,
        trusting,
        upgraded.unbonding_period_ns,
        state.max_clock_drift_ns,
        upgraded.latest_height,
        Height(0, 0),
        upgraded.proof_specs,
        upgraded.upgrade_path,
    )


def _scaled(trusting_ns: int, new_unbonding_ns: int, old_unbonding_ns: int) -> int:
    """`trusting * new / old` as LegacyDec computes it: cut at 36 digits, rounded half-even at 18, cut."""
    if new_unbonding_ns < 0:
        raise InvalidClient(f"negative unbonding period {new_unbonding_ns} ns")
    quotient = trusting_ns * new_unbonding_ns * _DECIMALS**2 // old_unbonding_ns
    number, rest = divmod(quotient, _DECIMALS)
    half = _DECIMALS // 2
    number += rest > half or (rest == half and number & 1)
    return min(number // _DECIMALS, MAX_I64)
