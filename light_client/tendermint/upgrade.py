"""Upgrade of a client to its chain's next revision (ibc-go `07-tendermint/upgrade.go`)."""

from light_client.tendermint.states import (
    SENTINEL_ROOT,
    ClientState,
    ConsensusState,
    check_client_state,
    decode_client_state,
    pack_client_state,
    pack_consensus_state,
)
from light_client.tendermint.verifier import TrustLevel
from pyibc.core.errors import InvalidClient, InvalidUpgradeClient
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_I64
from pyibc.core.proofs import verify_membership

_DECIMALS = 10**18  # of the Cosmos SDK's LegacyDec


def verify_upgrade(
    state: ClientState,
    trusted: ConsensusState,
    upgraded: ClientState,
    upgraded_consensus: ConsensusState,
    client_proof: bytes,
    consensus_proof: bytes,
) -> tuple[ClientState, ConsensusState]:
    """Verify that the chain committed to the upgraded states, and return the client's next states.

    Args:
        state: The client state.
        trusted: The latest consensus state, of the chain's last block before the upgrade.
        upgraded: The committed client state, whose client-specific fields are ignored.
        upgraded_consensus: The committed consensus state.
        client_proof: MerkleProof of `upgraded`.
        consensus_proof: MerkleProof of `upgraded_consensus`.

    Raises:
        InvalidUpgradeClient: the client has no upgrade path.
        CommitmentError: a proof does not verify.
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
    # The new revision's first root is not known yet, so no proof can verify against this state.
    return new_state, upgraded_consensus._replace(root=SENTINEL_ROOT)


def committed_client_state(client_state: bytes) -> bytes:
    """Return the Any to commit for the next revision's client state, which is given as an Any's value.

    Raises:
        InvalidClient: the client state is malformed.
    """
    return pack_client_state(_without_own_choices(decode_client_state(client_state)))


def committed_consensus_state(time_ns: int, next_validators_hash: bytes) -> bytes:
    """Return the Any to commit in a revision's last block: a consensus state of its time and next set."""
    return pack_consensus_state(ConsensusState(time_ns, b"", next_validators_hash))


def upgrade_path(state: ClientState, key: str) -> tuple[bytes, ...]:
    """Return the Merkle path of an upgraded state in the chain's upgrade store."""
    *stores, last = state.upgrade_path
    return (
        *(name.encode() for name in stores),
        f"{last}/{state.latest_height.revision_height}/{key}".encode(),
    )


def _without_own_choices(upgraded: ClientState) -> ClientState:
    """Return a client state without client-specific fields (`ZeroCustomFields`)."""
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
    """Return `trusting * new / old`, rounded as by LegacyDec: down at 36 decimals, half-even at 18, down."""
    if new_unbonding_ns < 0:
        raise InvalidClient(f"negative unbonding period {new_unbonding_ns} ns")
    quotient = trusting_ns * new_unbonding_ns * _DECIMALS**2 // old_unbonding_ns
    number, rest = divmod(quotient, _DECIMALS)
    half = _DECIMALS // 2
    number += rest > half or (rest == half and number & 1)
    return min(number // _DECIMALS, MAX_I64)
