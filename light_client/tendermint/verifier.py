"""The order of the checks that carry trust from one header to a later one (CometBFT `light/verifier.go`).

`verify_header` runs them cheap first; the last is the only one whose cost a stranger chooses freely:

1. the trusted header is within the trusting period
2. header and commit are well-formed, of the followed chain, and belong together
3. height and time are above the trusted ones
4. the time is not beyond now plus the clock drift
5. the validators are those the header names
6. adjacent headers: they are the ones the trusted header announced;
   others: more than the trust level of the trusted validators signed
7. more than two thirds of the header's validators signed
"""

from typing import NamedTuple

from light_client.tendermint import predicates
from light_client.tendermint.basic import check_commit, check_header
from light_client.tendermint.types import Header, SignedHeader, ValidatorSet
from light_client.tendermint.voting import TrustLevel, check_own_power, check_trusted_power, own_votes


class Trusted(NamedTuple):
    """What is kept of a header that is trusted."""

    chain_id: str
    height: int
    time_ns: int
    next_validators_hash: bytes


class Options(NamedTuple):
    """How far trust reaches."""

    trust_level: TrustLevel
    trusting_period_ns: int
    max_clock_drift_ns: int


def verify_header(
    trusted: Trusted,
    trusted_validators: ValidatorSet,
    signed: SignedHeader,
    validators: ValidatorSet,
    options: Options,
    now_ns: int,
) -> None:
    """Checks that `signed` can be trusted because `trusted` is.

    Args:
        trusted: the header that trust starts from.
        trusted_validators: of the block after it; the caller has matched them to its announcement.
        signed: a later header with its commit.
        validators: of the later header.
        options: trust level, trusting period, clock drift.
        now_ns: time in the block under way, unix nanoseconds.

    Raises:
        NotEnoughTrust: nothing is wrong, but too few of the trusted validators signed.
        HeaderVerificationError: any other check failed.
    """
    predicates.check_not_expired(trusted.time_ns, options.trusting_period_ns, now_ns)
    check_signed_header(signed, trusted.chain_id)
    verify_well_formed(trusted, trusted_validators, signed, validators, options, now_ns)


def verify_well_formed(
    trusted: Trusted,
    trusted_validators: ValidatorSet,
    signed: SignedHeader,
    validators: ValidatorSet,
    options: Options,
    now_ns: int,
) -> None:
    """As `verify_header`, of a header that passed `check_signed_header` before: that is not done again.

    Args and Raises: as `verify_header`.
    """
    header, commit = signed
    check_follows(trusted, header, options, now_ns)  # 1 to 4
    predicates.check_validators_match(header, validators)  # 5
    if header.height == trusted.height + 1:  # 6
        predicates.check_next_validators_match(header, trusted.next_validators_hash)
    else:
        check_trusted_power(trusted.chain_id, commit, trusted_validators, options.trust_level)
    check_commit_of(signed, trusted.chain_id, validators)  # 7


def check_follows(trusted: Trusted, header: Header, options: Options, now_ns: int) -> None:
    """Checks what heights, times and chain ids say: all that needs neither validators nor votes.

    Raises:
        HeaderVerificationError: the header does not follow the trusted one.
    """
    predicates.check_not_expired(trusted.time_ns, options.trusting_period_ns, now_ns)  # 1
    predicates.check_chain_id(header, trusted.chain_id)  # 2
    predicates.check_height_grows(header, trusted.height)  # 3
    predicates.check_time_grows(header, trusted.time_ns)
    predicates.check_not_from_future(header, now_ns, options.max_clock_drift_ns)  # 4


def check_signed_header(signed: SignedHeader, chain_id: str) -> None:
    """Checks that header and commit are well-formed and belong together (`SignedHeader.ValidateBasic`).

    Raises:
        HeaderVerificationError: they do not.
    """
    header, commit = signed
    check_header(header)
    check_commit(commit)
    predicates.check_chain_id(header, chain_id)
    predicates.check_commit_height(header, commit)
    predicates.check_commit_signs_header(header, commit)


def check_power_of(signed: SignedHeader, validators: ValidatorSet) -> None:
    """As `check_commit_of`, but no signature is verified: what costs little of it.

    Raises:
        HeaderVerificationError: the block's own validators did not commit it.
    """
    predicates.check_commit_size(signed.commit, validators)
    own_votes(signed.commit, validators)


def check_commit_of(signed: SignedHeader, chain_id: str, validators: ValidatorSet) -> None:
    """Checks that the block's own validators committed it (`VerifyCommitLight`).

    Raises:
        HeaderVerificationError: they did not.
    """
    predicates.check_commit_size(signed.commit, validators)
    check_own_power(chain_id, signed.commit, validators)
