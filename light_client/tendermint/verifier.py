"""Verification of a header against a trusted header (CometBFT `light/verifier.go`).

`verify_header` runs the checks in this order, cheap ones first; only the cost of the last one is unbounded:

1. the trusted header is within the trusting period
2. header and commit are well-formed, of the tracked chain, and match
3. height and time are above the trusted ones
4. the time is not beyond now plus the clock drift
5. the validators match the header's validators hash
6. adjacent headers: the validators hash is the trusted next validators hash;
   other headers: more than the trust level of the trusted validators' power signed
7. more than two thirds of the header's own validators' power signed
"""

from collections.abc import Iterator
from typing import NamedTuple

from light_client.tendermint.hashing import commit_sign_bytes, header_hash, validator_set_hash
from light_client.tendermint.types import (
    FLAG_COMMIT,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    Validator,
    ValidatorSet,
    check_commit,
    check_header,
)
from pyibc.core.crypto.signatures import verify_signature
from pyibc.core.errors import (
    DuplicateVote,
    HeaderExpired,
    HeaderFromFuture,
    InvalidTrustLevel,
    NextValidatorsHashMismatch,
    NonMonotonicHeight,
    NonMonotonicTime,
    NotEnoughPower,
    NotEnoughTrust,
    ValidatorsHashMismatch,
    WrongBlockId,
    WrongChainId,
    WrongCommitHeight,
    WrongCommitSize,
    WrongSignature,
    WrongValidatorAddress,
)
from pyibc.core.numbers import MAX_I64

# -- individual checks of a header against a trusted one, each with its own error
#
# The functions are pure; `verify_header` and its parts below define their order. Source: CometBFT
# `light/verifier.go`, `types/light.go`, `types/validation.go`.


def check_not_expired(trusted_ns: int, trusting_period_ns: int, now_ns: int) -> None:
    """Check that a trusted header is within the trusting period, whose end is exclusive.

    Raises:
        HeaderExpired: the trusting period has passed.
    """
    if trusted_ns + trusting_period_ns <= now_ns:
        raise HeaderExpired(trusted_ns, now_ns)


def check_chain_id(header: Header, expected: str) -> None:
    """Check that a header is of the tracked chain.

    Raises:
        WrongChainId: the chain id is another.
    """
    if header.chain_id != expected:
        raise WrongChainId(expected, header.chain_id)


def check_commit_height(header: Header, commit: Commit) -> None:
    """Check that a commit is for its header's height.

    Raises:
        WrongCommitHeight: the heights differ.
    """
    if commit.height != header.height:
        raise WrongCommitHeight(header.height, commit.height)


def check_commit_signs_header(header: Header, commit: Commit) -> None:
    """Check that a commit signs the header's hash.

    Raises:
        WrongBlockId: the commit signs another block.
    """
    expected = header_hash(header)
    # guard: h32-a-commit-is-for-any-header test_h32_an_edited_header_beside_a_real_commit_does_not_freeze
    #   test_h32_an_edited_header_is_no_update
    if commit.block_id.hash != expected:
        raise WrongBlockId(expected.hex(), commit.block_id.hash.hex())


def check_height_grows(header: Header, trusted_height: int) -> None:
    """Check that a header is above the trusted one.

    Raises:
        NonMonotonicHeight: the height is not above the trusted one.
    """
    if header.height <= trusted_height:
        raise NonMonotonicHeight(trusted_height, header.height)


def check_time_grows(header: Header, trusted_ns: int) -> None:
    """Check that a header is later than the trusted one.

    Raises:
        NonMonotonicTime: the time is not after the trusted one.
    """
    if header.time_ns <= trusted_ns:
        raise NonMonotonicTime(trusted_ns, header.time_ns)


def check_not_from_future(header: Header, now_ns: int, max_clock_drift_ns: int) -> None:
    """Check that a header's time is before the current time plus the maximum clock drift.

    Raises:
        HeaderFromFuture: the time is too far in the future.
    """
    if header.time_ns >= now_ns + max_clock_drift_ns:
        raise HeaderFromFuture(header.time_ns, now_ns, max_clock_drift_ns)


def check_validators_match(header: Header, validators: ValidatorSet) -> None:
    """Check that `validators` match the header's validators hash.

    Raises:
        ValidatorsHashMismatch: the hashes differ.
    """
    got = validator_set_hash(validators)
    if got != header.validators_hash:
        raise ValidatorsHashMismatch(header.validators_hash.hex(), got.hex())


def check_next_validators_match(header: Header, trusted_next_validators_hash: bytes) -> None:
    """Check that an adjacent header's validators hash is the trusted next validators hash.

    Raises:
        NextValidatorsHashMismatch: the hashes differ.
    """
    if header.validators_hash != trusted_next_validators_hash:
        raise NextValidatorsHashMismatch(trusted_next_validators_hash.hex(), header.validators_hash.hex())


def check_commit_size(commit: Commit, validators: ValidatorSet) -> None:
    """Check that a commit has one entry per validator.

    Raises:
        WrongCommitSize: the numbers differ.
    """
    # guard: h30-a-commit-may-have-any-size test_h30_a_commit_has_one_entry_for_each_validator
    if len(commit.signatures) != len(validators):
        raise WrongCommitSize(len(validators), len(commit.signatures))


# -- verification of the voting power behind a commit (CometBFT `types/validation.go`)
#
# Power is added up first, which is cheap, until it suffices; only the signatures of these votes are
# verified.


class TrustLevel(NamedTuple):
    """Fraction of the trusted validators' power that must have signed, within [1/3, 1]."""

    numerator: int
    denominator: int


class Vote(NamedTuple):
    """A validator's vote for the block, and its index in the commit."""

    place: int
    validator: Validator
    sig: CommitSig


def check_own_power(chain_id: str, commit: Commit, validators: ValidatorSet) -> None:
    """Check that more than two thirds of the own validators' power signed (`VerifyCommitLight`).

    Raises:
        MalformedValidatorSet, WrongValidatorAddress, NotEnoughPower: as `own_votes`.
        WrongSignature: a signature does not verify.
    """
    _check_signatures(chain_id, commit, own_votes(commit, validators))


def own_votes(commit: Commit, validators: ValidatorSet) -> list[Vote]:
    """Return the first votes with more than two thirds of the power, without verifying signatures.

    Raises:
        MalformedValidatorSet: a validator is repeated in the set.
        WrongValidatorAddress: an entry has another address than the validator at its index.
        NotEnoughPower: too few signed.
    """
    validators.check_distinct()
    needed = validators.total_power * 2 // 3
    votes, power = _enough(_by_place(commit, validators), needed)
    # guard: h32-evidence-needs-no-majority test_h32_evidence_that_a_third_signed_does_not_freeze
    if power <= needed:
        raise NotEnoughPower(power, needed)
    return votes


def check_trusted_power(chain_id: str, commit: Commit, trusted: ValidatorSet, level: TrustLevel) -> None:
    """Check that more than `level` of the trusted validators' power signed (`VerifyCommitLightTrusting`).

    Raises:
        MalformedValidatorSet: a validator is repeated in the set.
        InvalidTrustLevel: the needed power does not fit 64 bits.
        DuplicateVote: a validator signed twice.
        NotEnoughTrust: too few signed; a header in between may help.
        WrongSignature: a signature does not verify.
    """
    trusted.check_distinct()
    product = trusted.total_power * level.numerator
    if not level.denominator or product > MAX_I64:
        raise InvalidTrustLevel(level.numerator, level.denominator)
    needed = product // level.denominator
    votes, power = _enough(_by_address(commit, trusted), needed)
    if power <= needed:
        raise NotEnoughTrust(power, needed)
    _check_signatures(chain_id, commit, votes)


def _by_place(commit: Commit, validators: ValidatorSet) -> Iterator[Vote]:
    for index, sig in enumerate(commit.signatures):
        if sig.flag == FLAG_COMMIT:
            member = validators.validators[index]
            # guard: h30-a-vote-is-not-bound-to-its-place drop
            #   test_h30_every_vote_is_bound_to_the_validator_in_its_place
            #   test_h30_swapped_addresses_are_refused
            if sig.validator_address != member.address:
                raise WrongValidatorAddress(index, member.address.hex(), sig.validator_address.hex())
            yield Vote(index, member, sig)


def _by_address(commit: Commit, trusted: ValidatorSet) -> Iterator[Vote]:
    seen: dict[int, int] = {}
    for index, sig in enumerate(commit.signatures):
        place = trusted.place_of(sig.validator_address) if sig.flag == FLAG_COMMIT else None
        if place is not None:
            # guard: h26-a-vote-counts-twice test_h26_a_validator_counts_once
            if place in seen:
                raise DuplicateVote(sig.validator_address.hex())
            seen[place] = index
            yield Vote(index, trusted.validators[place], sig)


def _enough(votes: Iterator[Vote], needed: int) -> tuple[list[Vote], int]:
    """Return the first votes that together exceed `needed`, and their power."""
    taken, power = [], 0
    for vote in votes:
        taken.append(vote)
        power += vote.validator.power
        if power > needed:
            break
    return taken, power


def _check_signatures(chain_id: str, commit: Commit, votes: list[Vote]) -> None:
    sign_bytes = commit_sign_bytes(chain_id, commit)
    for place, member, sig in votes:
        if not verify_signature(member.key_type, member.public_key, sign_bytes(sig), sig.signature):
            raise WrongSignature(place)


# -- verification of a header against a trusted one


class Trusted(NamedTuple):
    """Fields of a trusted header."""

    chain_id: str
    height: int
    time_ns: int
    next_validators_hash: bytes


class VerifierOptions(NamedTuple):
    """Options of the verification."""

    trust_level: TrustLevel
    trusting_period_ns: int
    max_clock_drift_ns: int


def verify_header(
    trusted: Trusted,
    trusted_validators: ValidatorSet,
    signed: SignedHeader,
    validators: ValidatorSet,
    options: VerifierOptions,
    now_ns: int,
) -> None:
    """Verify a signed header against a trusted one.

    Args:
        trusted: The trusted header.
        trusted_validators: Its next validators, already compared with its next validators hash.
        signed: A later header with its commit.
        validators: The validators of the later header.
        options: Trust level, trusting period and clock drift.
        now_ns: Time of the current block, in Unix nanoseconds.

    Raises:
        NotEnoughTrust: too few of the trusted validators signed; a header in between may help.
        HeaderVerificationError: another check failed.
    """
    check_not_expired(trusted.time_ns, options.trusting_period_ns, now_ns)
    check_signed_header(signed, trusted.chain_id)
    verify_well_formed(trusted, trusted_validators, signed, validators, options, now_ns)


def verify_well_formed(
    trusted: Trusted,
    trusted_validators: ValidatorSet,
    signed: SignedHeader,
    validators: ValidatorSet,
    options: VerifierOptions,
    now_ns: int,
) -> None:
    """Verify a header as `verify_header`, if it has already passed `check_signed_header`.

    Args and Raises: as `verify_header`.
    """
    header, commit = signed
    check_follows(trusted, header, options, now_ns)  # 1 to 4
    check_validators_match(header, validators)  # 5
    if header.height == trusted.height + 1:  # 6
        check_next_validators_match(header, trusted.next_validators_hash)
    else:
        check_trusted_power(trusted.chain_id, commit, trusted_validators, options.trust_level)
    check_commit_of(signed, trusted.chain_id, validators)  # 7


def check_follows(trusted: Trusted, header: Header, options: VerifierOptions, now_ns: int) -> None:
    """Run the checks of height, time and chain id, which need neither validators nor votes.

    Raises:
        HeaderVerificationError: a check failed.
    """
    check_not_expired(trusted.time_ns, options.trusting_period_ns, now_ns)  # 1
    check_chain_id(header, trusted.chain_id)  # 2
    check_height_grows(header, trusted.height)  # 3
    check_time_grows(header, trusted.time_ns)
    check_not_from_future(header, now_ns, options.max_clock_drift_ns)  # 4


def check_signed_header(signed: SignedHeader, chain_id: str) -> None:
    """Check that header and commit are well-formed and match (`SignedHeader.ValidateBasic`).

    Raises:
        HeaderVerificationError: a check failed.
    """
    header, commit = signed
    check_header(header)
    check_commit(commit)
    check_chain_id(header, chain_id)
    check_commit_height(header, commit)
    check_commit_signs_header(header, commit)


def check_power_of(signed: SignedHeader, validators: ValidatorSet) -> None:
    """Check a commit as `check_commit_of`, but without verifying signatures.

    Raises:
        HeaderVerificationError: the commit lacks votes of more than two thirds of the power.
    """
    check_commit_size(signed.commit, validators)
    own_votes(signed.commit, validators)


def check_commit_of(signed: SignedHeader, chain_id: str, validators: ValidatorSet) -> None:
    """Verify a commit by the block's own validators (`VerifyCommitLight`).

    Raises:
        HeaderVerificationError: the commit does not verify.
    """
    check_commit_size(signed.commit, validators)
    check_own_power(chain_id, signed.commit, validators)
