"""Verification of a header against a trusted consensus state (ibc-go `07-tendermint/update.go`)."""

from typing import Protocol

from light_client.tendermint.hashing import validator_set_hash
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.types import ClientHeader, Header, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import (
    Trusted,
    VerifierOptions,
    check_signed_header,
    check_validators_match,
    verify_well_formed,
)
from pyibc.core.errors import (
    InvalidClientHeader,
    InvalidHeaderHeight,
    InvalidTendermintChainId,
    InvalidValidatorSet,
    ValidatorsHashMismatch,
)
from pyibc.core.height import Height, has_readable_revision, revision_of


class HasHeader(Protocol):
    """An ICS-7 header, decoded in Python or by native code."""

    @property
    def header(self) -> Header:
        """The header of the block."""


def height_of(client_header: HasHeader) -> Height:
    """Return the height of a header, with the revision in its chain id."""
    header = client_header.header
    return Height(revision_of(header.chain_id), header.height)


def consensus_state_of(client_header: HasHeader) -> ConsensusState:
    """Return the consensus state of a header."""
    header = client_header.header
    return ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)


def trusted_of(state: ClientState, base: Height, trusted: ConsensusState) -> Trusted:
    """Return the trusted state for a header, from the consensus state of its trusted height."""
    return Trusted(state.chain_id, base.revision_height, trusted.time_ns, trusted.next_validators_hash)


def options_of(state: ClientState) -> VerifierOptions:
    """Return the verification options in a client state."""
    return VerifierOptions(state.trust_level, state.trusting_period_ns, state.max_clock_drift_ns)


def check_basic(client_header: ClientHeader) -> None:
    """Run the stateless checks of a header (`Header.ValidateBasic`).

    Raises:
        HeaderVerificationError: the header or the commit is malformed, or they do not match.
        InvalidTendermintChainId: the chain id's revision exceeds 64 bits.
        InvalidHeaderHeight: the trusted height is not below the header's.
        MalformedValidatorSet: the validator set is malformed.
        InvalidClientHeader: the validator set is missing, or does not match the header.
    """
    header, commit, validators, trusted_height, _ = client_header
    check_signed_header(SignedHeader(header, commit), header.chain_id)
    if not has_readable_revision(header.chain_id):
        raise InvalidTendermintChainId(header.chain_id, "a revision of 64 bits").as_panic()
    if trusted_height >= height_of(client_header):
        raise InvalidHeaderHeight(
            f"trusted height {trusted_height} is not below header height {height_of(client_header)}"
        )
    validators.check_readable()
    try:
        check_validators_match(header, validators)
    except ValidatorsHashMismatch as error:
        raise InvalidClientHeader(str(error)) from error  # ibc-go's own check


def trusted_validators_of(client_header: ClientHeader, trusted: ConsensusState) -> ValidatorSet:
    """Return the trusted validators of a header, after comparing them with the trusted consensus state.

    Raises:
        InvalidValidatorSet: the trusted validators are missing or do not match.
        MalformedValidatorSet: the set is malformed.
    """
    validators = client_header.trusted_validators
    if validators is None:
        raise InvalidValidatorSet("trusted validators are missing")
    validators.check_readable()
    got = validator_set_hash(validators)
    if got != trusted.next_validators_hash:
        raise InvalidValidatorSet(
            f"trusted validators hash to {got.hex()}, expected {trusted.next_validators_hash.hex()}"
        )
    return validators


def verify_update(
    state: ClientState, client_header: ClientHeader, trusted: ConsensusState, now_ns: int
) -> None:
    """Verify a header against a trusted consensus state.

    Args:
        state: The client state.
        client_header: A header that has passed `check_basic`.
        trusted: The consensus state of the header's trusted height.
        now_ns: Time of the current block, in Unix nanoseconds.

    Raises:
        InvalidValidatorSet, InvalidHeaderHeight, HeaderVerificationError: the header does not verify.
    """
    height, base = height_of(client_header), client_header.trusted_height
    trusted_validators = trusted_validators_of(client_header, trusted)
    if height.revision_number != base.revision_number:
        raise InvalidHeaderHeight(f"header {height} and trusted height {base} are of different revisions")
    verify_well_formed(
        trusted_of(state, base, trusted),
        trusted_validators,
        SignedHeader(client_header.header, client_header.commit),
        client_header.validator_set,
        options_of(state),
        now_ns,
    )
