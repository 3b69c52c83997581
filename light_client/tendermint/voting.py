"""How much power signed a commit (CometBFT `types/validation.go`).

Power is added up first, which costs nothing, until it suffices; only those signatures are then verified.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ibc_core.crypto.signatures import verify_signature
from ibc_core.errors import (
    DuplicateVote,
    InvalidTrustLevel,
    NotEnoughPower,
    NotEnoughTrust,
    WrongSignature,
    WrongValidatorAddress,
)
from ibc_core.numbers import MAX_I64
from light_client.tendermint.hashing import commit_sign_bytes
from light_client.tendermint.types import FLAG_COMMIT, Commit, CommitSig, Validator, ValidatorSet


class TrustLevel(NamedTuple):
    """The part of the trusted validators' power that must have signed, within [1/3, 1]."""

    numerator: int
    denominator: int


class Vote(NamedTuple):
    """A validator's vote for the block, and its place in the commit."""

    place: int
    validator: Validator
    sig: CommitSig


def check_own_power(chain_id: str, commit: Commit, validators: ValidatorSet) -> None:
    """Checks that more than two thirds of the block's own validators signed (`VerifyCommitLight`).

    Raises:
        MalformedValidatorSet, WrongValidatorAddress, NotEnoughPower: as `own_votes`.
        WrongSignature: one of the signatures is bad.
    """
    _check_signatures(chain_id, commit, own_votes(commit, validators))


def own_votes(commit: Commit, validators: ValidatorSet) -> list[Vote]:
    """The first votes that have more than two thirds of the power together; no signature is verified.

    Raises:
        MalformedValidatorSet: a validator stands in the set twice.
        WrongValidatorAddress: an entry names another validator than the one in its place.
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
    """Checks that more than `level` of the trusted validators signed (`VerifyCommitLightTrusting`).

    Raises:
        MalformedValidatorSet: a validator stands in the set twice.
        InvalidTrustLevel: the needed power does not fit 64 bits.
        DuplicateVote: one of them signed twice.
        NotEnoughTrust: too few signed; a header in between may help.
        WrongSignature: one of the signatures is bad.
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
    """The first votes that together exceed `needed`, and their power."""
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
