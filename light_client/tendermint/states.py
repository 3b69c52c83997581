"""Client and consensus states of `07-tendermint` (ICS-7), and their stateless checks."""

from typing import NamedTuple

from light_client.tendermint.types import HASH_SIZE, MAX_CHAIN_ID
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.gotime import NANOSECONDS
from pyibc.core.errors import (
    InvalidClient,
    InvalidConsensus,
    InvalidHeaderHeight,
    InvalidMaxClockDrift,
    InvalidProofSpecs,
    InvalidSubstitute,
    InvalidTendermintChainId,
    InvalidTrustingPeriod,
    InvalidTrustLevel,
    InvalidUnbondingPeriod,
)
from pyibc.core.height import ZERO_HEIGHT, Height, has_readable_revision, revision_of
from pyibc.core.identifiers import GO_SPACES
from pyibc.core.numbers import MAX_U64
from pyibc.core.proofs import SDK_SPECS, ProofSpec

FROZEN_HEIGHT = Height(0, 1)
"""Value of a frozen client's `frozen_height`, which is only a flag."""

SENTINEL_ROOT = b"sentinel_root"
"""Root of the consensus state written by an upgrade, against which no proof can verify."""

MAX_PROOF_SPECS = 16
"""Maximum number of proof specifications; SDK chains have two."""
MAX_CHILDREN = 256
"""Maximum number of children in a specification; existing trees have two."""
MAX_PROOF_DEPTH = 1024
"""Maximum depth in a specification; sparse Merkle trees have 256."""

DEFAULT_TRUST_LEVEL = TrustLevel(1, 3)


class ClientState(NamedTuple):
    """ICS-7 client state, with periods in nanoseconds."""

    chain_id: str
    trust_level: TrustLevel
    trusting_period_ns: int
    unbonding_period_ns: int
    max_clock_drift_ns: int
    latest_height: Height
    frozen_height: Height = ZERO_HEIGHT
    proof_specs: tuple[ProofSpec, ...] = SDK_SPECS
    upgrade_path: tuple[str, ...] = ("upgrade", "upgradedIBCState")
    allow_update_after_expiry: bool = False  # deprecated and without effect, but part of the encoding
    allow_update_after_misbehaviour: bool = False  # likewise


class ConsensusState(NamedTuple):
    """ICS-7 consensus state of one height."""

    time_ns: int
    root: bytes
    next_validators_hash: bytes


def check_client_state(state: ClientState) -> None:
    """Run the stateless checks of a client state, in the order of ibc-go's `ClientState.Validate`.

    Raises:
        TendermintError, InvalidClient: a field is invalid.
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
    # Go multiplies in 64 bits, with overflow.
    if (numerator * 3 & MAX_U64) < denominator or numerator > denominator or not denominator:
        raise InvalidTrustLevel(numerator, denominator)


def _check_latest_height(state: ClientState) -> None:
    if not has_readable_revision(state.chain_id):
        raise InvalidTendermintChainId(state.chain_id, "a revision of 64 bits").as_panic()
    revision = revision_of(state.chain_id)
    if state.latest_height.revision_number != revision:
        raise InvalidHeaderHeight(f"latest height {state.latest_height} is not of revision {revision}")
    if not state.latest_height.revision_height:
        raise InvalidHeaderHeight("latest height is zero")


def _check_proof_specs(specs: tuple[ProofSpec, ...]) -> None:
    """Check that specifications bound the cost of proofs.

    A specification without leaf or inner part, or with unbounded sizes, is accepted, as by ibc-go: only
    proofs of a single leaf can conform to it (`pyibc/core/proofs/verify.py`).
    """
    if not specs:
        raise InvalidProofSpecs("none")
    if len(specs) > MAX_PROOF_SPECS:
        raise InvalidProofSpecs(f"{len(specs)}, more than {MAX_PROOF_SPECS}")
    for index, spec in enumerate(specs):
        # guard: h61-any-number-of-children test_h61_client_states_that_cannot_be
        if spec.inner_spec is not None and len(spec.inner_spec.child_order) > MAX_CHILDREN:
            raise InvalidProofSpecs(f"{index} has more than {MAX_CHILDREN} children")
        if max(spec.max_depth, spec.min_depth) > MAX_PROOF_DEPTH:
            raise InvalidProofSpecs(f"{index} has a depth of more than {MAX_PROOF_DEPTH}")


def check_consensus_state(state: ConsensusState) -> None:
    """Run the stateless checks of a consensus state (ibc-go `ConsensusState.ValidateBasic`).

    Raises:
        InvalidConsensus: a field is invalid.
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


# -- recovery by a substitute (ibc-go `proposal_handle.go`)


def recovered(subject: ClientState, substitute: ClientState) -> ClientState:
    """Return the recovered client state: unfrozen, with height, chain id and trusting period of `substitute`.

    Raises:
        InvalidSubstitute: the client states differ in a parameter that recovery must not change.
    """
    if _parameters(subject) != _parameters(substitute):
        raise InvalidSubstitute("subject client state does not match substitute client state")
    return subject._replace(
        chain_id=substitute.chain_id,
        latest_height=substitute.latest_height,
        trusting_period_ns=substitute.trusting_period_ns,
        frozen_height=ZERO_HEIGHT,
    )


def _parameters(state: ClientState) -> ClientState:
    return state._replace(
        chain_id="",
        latest_height=ZERO_HEIGHT,
        frozen_height=ZERO_HEIGHT,
        trusting_period_ns=0,
        allow_update_after_expiry=True,
        allow_update_after_misbehaviour=True,
    )
