"""Client and consensus states of `07-tendermint` (ICS-7) and their basic checks; bytes: `state_codec.py`."""

from typing import NamedTuple

from ibc_core.errors import (
    InvalidClient,
    InvalidConsensus,
    InvalidHeaderHeight,
    InvalidMaxClockDrift,
    InvalidProofSpecs,
    InvalidTendermintChainId,
    InvalidTrustingPeriod,
    InvalidTrustLevel,
    InvalidUnbondingPeriod,
)
from ibc_core.height import ZERO_HEIGHT, Height, has_readable_revision, revision_of
from ibc_core.identifiers import GO_SPACES
from ibc_core.numbers import MAX_U64
from ibc_core.proofs import SDK_SPECS, ProofSpec
from ibc_core.wire.gotime import NANOSECONDS
from light_client.tendermint.basic import HASH_SIZE, MAX_CHAIN_ID
from light_client.tendermint.voting import TrustLevel

FROZEN_HEIGHT = Height(0, 1)
"""What a frozen client's `frozen_height` is set to: only a flag."""

SENTINEL_ROOT = b"sentinel_root"
"""Root of the consensus state that a chain upgrade starts from: no proof leads to it."""

MAX_PROOF_SPECS = 16
"""Trees above each other; a chain has two."""
MAX_CHILDREN = 256
"""Children of a node, as a specification lists them; trees in use have two."""
MAX_PROOF_DEPTH = 1024
"""Steps that a specification may allow; sparse trees have 256."""

DEFAULT_TRUST_LEVEL = TrustLevel(1, 3)


class ClientState(NamedTuple):
    """What a client knows of the chain it follows. Periods in nanoseconds."""

    chain_id: str
    trust_level: TrustLevel
    trusting_period_ns: int
    unbonding_period_ns: int
    max_clock_drift_ns: int
    latest_height: Height
    frozen_height: Height = ZERO_HEIGHT
    proof_specs: tuple[ProofSpec, ...] = SDK_SPECS
    upgrade_path: tuple[str, ...] = ("upgrade", "upgradedIBCState")
    allow_update_after_expiry: bool = False  # deprecated, without effect, but part of the bytes
    allow_update_after_misbehaviour: bool = False  # the same


class ConsensusState(NamedTuple):
    """What a client keeps of one header."""

    time_ns: int
    root: bytes
    next_validators_hash: bytes


def check_client_state(state: ClientState) -> None:
    """Checks a client state by itself (ibc-go `ClientState.Validate`, in its order).

    Raises:
        TendermintError, InvalidClient: a field is impossible.
    """
    size = len(state.chain_id.encode())
    if not state.chain_id.strip(GO_SPACES) or size > MAX_CHAIN_ID:
        raise InvalidTendermintChainId(state.chain_id[:64], f"1 to {MAX_CHAIN_ID} bytes, not blank")
    _check_trust_level(state.trust_level)
    trusting, unbonding = state.trusting_period_ns, state.unbonding_period_ns
    if trusting <= 0:
        raise InvalidTrustingPeriod(trusting, unbonding)
    if unbonding <= 0:
        raise InvalidUnbondingPeriod(unbonding)
    if state.max_clock_drift_ns <= 0:
        raise InvalidMaxClockDrift(state.max_clock_drift_ns)
    _check_latest_height(state)
    if trusting >= unbonding:
        raise InvalidTrustingPeriod(trusting, unbonding)
    _check_proof_specs(state.proof_specs)
    if any(not key.strip(GO_SPACES) for key in state.upgrade_path):
        raise InvalidClient("blank key in the upgrade path")


def _check_trust_level(level: TrustLevel) -> None:
    numerator, denominator = level
    # Go multiplies in 64 bits, so that a numerator beyond a third of them wraps.
    if (numerator * 3 & MAX_U64) < denominator or numerator > denominator or not denominator:
        raise InvalidTrustLevel(numerator, denominator)


def _check_latest_height(state: ClientState) -> None:
    if not has_readable_revision(state.chain_id):
        raise InvalidTendermintChainId(state.chain_id, "a revision of 64 bits")
    revision = revision_of(state.chain_id)
    if state.latest_height.revision_number != revision:
        raise InvalidHeaderHeight(f"latest height {state.latest_height} is not of revision {revision}")
    if not state.latest_height.revision_height:
        raise InvalidHeaderHeight("latest height is zero")


def _check_proof_specs(specs: tuple[ProofSpec, ...]) -> None:
    if not specs:
        raise InvalidProofSpecs("none")
    if len(specs) > MAX_PROOF_SPECS:
        raise InvalidProofSpecs(f"{len(specs)}, more than {MAX_PROOF_SPECS}")
    for index, spec in enumerate(specs):
        shape = spec.inner_spec
        if spec.leaf_spec is None or shape is None:
            raise InvalidProofSpecs(f"{index} has no leaf or no inner part")
        # Such a specification verifies no inner node (ics23); here it is refused before it locks a client.
        if shape.child_size < 1 or shape.max_prefix_length >= shape.min_prefix_length + shape.child_size:
            raise InvalidProofSpecs(f"{index} has sizes that bound nothing")
        # guard: h61-any-number-of-children test_h61_client_states_that_cannot_be
        if len(shape.child_order) > MAX_CHILDREN:
            raise InvalidProofSpecs(f"{index} has more than {MAX_CHILDREN} children")
        if max(spec.max_depth, spec.min_depth) > MAX_PROOF_DEPTH:
            raise InvalidProofSpecs(f"{index} has a depth of more than {MAX_PROOF_DEPTH}")


def check_consensus_state(state: ConsensusState) -> None:
    """Checks a consensus state by itself (ibc-go `ConsensusState.ValidateBasic`).

    Raises:
        InvalidConsensus: a field is impossible.
    """
    if not state.root:
        raise InvalidConsensus("root cannot be empty")
    if len(state.root) != HASH_SIZE and state.root != SENTINEL_ROOT:
        raise InvalidConsensus(f"root of {len(state.root)} bytes, expected 32")
    if len(state.next_validators_hash) not in (0, HASH_SIZE):
        raise InvalidConsensus(
            f"next validators hash of {len(state.next_validators_hash)} bytes, expected 0 or 32"
        )
    if state.time_ns < NANOSECONDS:
        raise InvalidConsensus("timestamp must be a positive unix time")
