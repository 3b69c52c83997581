"""Each check of a header against a trusted one: one function, one error with what was expected and got.

Pure. The order is the verifier's (`verifier.py`), time is an argument.
Source: CometBFT `light/verifier.go`, `types/light.go`, `types/validation.go`.
"""

from ibc_core.errors import (
    HeaderExpired,
    HeaderFromFuture,
    NextValidatorsHashMismatch,
    NonMonotonicHeight,
    NonMonotonicTime,
    ValidatorsHashMismatch,
    WrongBlockId,
    WrongChainId,
    WrongCommitHeight,
    WrongCommitSize,
)
from light_client.tendermint.hashing import header_hash, validator_set_hash
from light_client.tendermint.types import Commit, Header, ValidatorSet


def check_not_expired(trusted_ns: int, trusting_period_ns: int, now_ns: int) -> None:
    """Checks that a trusted header is still within the trusting period; its last nanosecond is not.

    Raises:
        HeaderExpired: it is not.
    """
    if trusted_ns + trusting_period_ns <= now_ns:
        raise HeaderExpired(trusted_ns, now_ns)


def check_chain_id(header: Header, expected: str) -> None:
    """Checks that a header is of the chain that is followed.

    Raises:
        WrongChainId: it is of another.
    """
    if header.chain_id != expected:
        raise WrongChainId(expected, header.chain_id)


def check_commit_height(header: Header, commit: Commit) -> None:
    """Checks that a commit is for its header's height.

    Raises:
        WrongCommitHeight: it is for another.
    """
    if commit.height != header.height:
        raise WrongCommitHeight(header.height, commit.height)


def check_commit_signs_header(header: Header, commit: Commit) -> None:
    """Checks that a commit is for exactly this header.

    Raises:
        WrongBlockId: it is for another block.
    """
    expected = header_hash(header)
    # guard: h32-a-commit-is-for-any-header test_h32_an_edited_header_beside_a_real_commit_does_not_freeze
    #   test_h32_an_edited_header_is_no_update
    if commit.block_id.hash != expected:
        raise WrongBlockId(expected.hex(), commit.block_id.hash.hex())


def check_height_grows(header: Header, trusted_height: int) -> None:
    """Checks that a header is above the trusted one.

    Raises:
        NonMonotonicHeight: it is not.
    """
    if header.height <= trusted_height:
        raise NonMonotonicHeight(trusted_height, header.height)


def check_time_grows(header: Header, trusted_ns: int) -> None:
    """Checks that a header is later than the trusted one.

    Raises:
        NonMonotonicTime: it is not.
    """
    if header.time_ns <= trusted_ns:
        raise NonMonotonicTime(trusted_ns, header.time_ns)


def check_not_from_future(header: Header, now_ns: int, max_clock_drift_ns: int) -> None:
    """Checks that a header is earlier than now plus the drift that clocks are granted.

    Raises:
        HeaderFromFuture: it is not.
    """
    if header.time_ns >= now_ns + max_clock_drift_ns:
        raise HeaderFromFuture(header.time_ns, now_ns, max_clock_drift_ns)


def check_validators_match(header: Header, validators: ValidatorSet) -> None:
    """Checks that `validators` are the ones the header names.

    Raises:
        ValidatorsHashMismatch: they are not.
    """
    got = validator_set_hash(validators)
    if got != header.validators_hash:
        raise ValidatorsHashMismatch(header.validators_hash.hex(), got.hex())


def check_next_validators_match(header: Header, trusted_next_validators_hash: bytes) -> None:
    """Checks that a header's validators are those the header before it announced.

    Raises:
        NextValidatorsHashMismatch: they are not.
    """
    if header.validators_hash != trusted_next_validators_hash:
        raise NextValidatorsHashMismatch(trusted_next_validators_hash.hex(), header.validators_hash.hex())


def check_commit_size(commit: Commit, validators: ValidatorSet) -> None:
    """Checks that a commit has one entry for each validator.

    Raises:
        WrongCommitSize: it has not.
    """
    # guard: h30-a-commit-may-have-any-size test_h30_a_commit_has_one_entry_for_each_validator
    if len(commit.signatures) != len(validators):
        raise WrongCommitSize(len(validators), len(commit.signatures))
