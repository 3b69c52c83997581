"""A header against the consensus state it builds on (ibc-go `07-tendermint/update.go`)."""

from typing import Protocol

from ibc_core.errors import (
    InvalidClientHeader,
    InvalidHeaderHeight,
    InvalidTendermintChainId,
    InvalidValidatorSet,
    ValidatorsHashMismatch,
)
from ibc_core.height import Height, has_readable_revision, revision_of
from light_client.tendermint.hashing import validator_set_hash
from light_client.tendermint.predicates import check_validators_match
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.types import ClientHeader, Header, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import Options, Trusted, check_signed_header, verify_well_formed


class HasHeader(Protocol):
    """A client's header, decoded in full or seen."""

    @property
    def header(self) -> Header:
        """The block's header."""


def height_of(client_header: HasHeader) -> Height:
    """The height of a header, its revision read from the chain id."""
    header = client_header.header
    return Height(revision_of(header.chain_id), header.height)


def consensus_state_of(client_header: HasHeader) -> ConsensusState:
    """What a client keeps of a header."""
    header = client_header.header
    return ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)


def trusted_of(state: ClientState, base: Height, trusted: ConsensusState) -> Trusted:
    """What a client trusts a header by: its consensus state of the header's trusted height."""
    return Trusted(state.chain_id, base.revision_height, trusted.time_ns, trusted.next_validators_hash)


def options_of(state: ClientState) -> Options:
    """How far a client's trust reaches."""
    return Options(state.trust_level, state.trusting_period_ns, state.max_clock_drift_ns)


def check_basic(client_header: ClientHeader) -> None:
    """Checks a header by itself (`Header.ValidateBasic`).

    Raises:
        HeaderVerificationError: header or commit is malformed, or they do not belong together.
        InvalidTendermintChainId: the chain id's revision exceeds 64 bits.
        InvalidHeaderHeight: the trusted height is not below the header's.
        MalformedValidatorSet: the validators are no set.
        InvalidClientHeader: the validators are missing, or not those that the header names.
    """
    header, commit, validators, trusted_height, _ = client_header
    check_signed_header(SignedHeader(header, commit), header.chain_id)
    if not has_readable_revision(header.chain_id):
        raise InvalidTendermintChainId(header.chain_id, "a revision of 64 bits")
    if trusted_height >= height_of(client_header):
        raise InvalidHeaderHeight(
            f"trusted height {trusted_height} is not below header height {height_of(client_header)}"
        )
    validators.check_readable()
    try:
        check_validators_match(header, validators)
    except ValidatorsHashMismatch as error:
        raise InvalidClientHeader(str(error)) from error  # ibc-go's own check, before CometBFT's verifier


def trusted_validators_of(client_header: ClientHeader, trusted: ConsensusState) -> ValidatorSet:
    """The validators a header brings along for its trusted height, if they are the ones announced there.

    Raises:
        InvalidValidatorSet: they are missing or others.
        MalformedValidatorSet: they are no set.
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
    """Checks that the client may take a header over.

    Args:
        state: of the client.
        client_header: has passed `check_basic`.
        trusted: the consensus state of its trusted height.
        now_ns: time in the block under way.

    Raises:
        InvalidValidatorSet, InvalidHeaderHeight, HeaderVerificationError: it may not.
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
