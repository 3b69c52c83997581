"""Errors of CometBFT's header verifier (codespace `cometbft`); ibc-go reports them as `undefined/1`."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class HeaderVerificationError(IbcError):
    """Any error of codespace `cometbft`."""

    codespace: ClassVar[str] = "cometbft"


class HeaderExpired(HeaderVerificationError):
    """The trusted header is older than the trusting period.

    Its validators may have unbonded and could sign a fork without loss.

    `cometbft/1`: CometBFT's `light.ErrOldHeaderExpired`.
    """

    trusted_ns: int
    now_ns: int
    code: ClassVar[int] = 1
    text: ClassVar[str] = "trusted header of {trusted_ns} ns expired at {now_ns} ns"


class HeaderFromFuture(HeaderVerificationError):
    """The header's time is beyond this chain's block time and the tolerated drift.

    A time far ahead would time packets out that are not due.

    `cometbft/2`: CometBFT's `light.verifyNewHeaderAndVals`.
    """

    header_ns: int
    now_ns: int
    drift_ns: int
    code: ClassVar[int] = 2
    text: ClassVar[str] = "header time {header_ns} ns is beyond now {now_ns} ns + drift {drift_ns} ns"


class NonMonotonicTime(HeaderVerificationError):
    """The header's time is not after the trusted header's.

    `cometbft/3`: CometBFT's `light.verifyNewHeaderAndVals`.
    """

    trusted_ns: int
    header_ns: int
    code: ClassVar[int] = 3
    text: ClassVar[str] = "header time {header_ns} ns is not after trusted time {trusted_ns} ns"


class NonMonotonicHeight(HeaderVerificationError):
    """The header's height is not above the trusted height.

    `cometbft/4`: CometBFT's `light.verifyNewHeaderAndVals`.
    """

    trusted: int
    got: int
    code: ClassVar[int] = 4
    text: ClassVar[str] = "header height {got} is not above trusted height {trusted}"


class WrongChainId(HeaderVerificationError):
    """The header is of another chain than the client follows.

    `cometbft/5`: CometBFT's `SignedHeader.ValidateBasic`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "header of chain {got!a}, expected {expected!a}"


class ValidatorsHashMismatch(HeaderVerificationError):
    """The validator set that came along is not the one whose hash the header holds.

    `cometbft/6`: CometBFT's `light.verifyNewHeaderAndVals`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "validators hash {got}, expected {expected}"


class NextValidatorsHashMismatch(HeaderVerificationError):
    """The next header is not by the validators that the trusted header announced for it.

    `cometbft/7`: CometBFT's `light.VerifyAdjacent`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "validators hash {got} is not the trusted next validators hash {expected}"


class WrongCommitHeight(HeaderVerificationError):
    """The commit is for another height than the header's.

    `cometbft/8`: CometBFT's `SignedHeader.ValidateBasic`.
    """

    expected: int
    got: int
    code: ClassVar[int] = 8
    text: ClassVar[str] = "commit of height {got}, header of height {expected}"


class WrongBlockId(HeaderVerificationError):
    """The commit signs another block than the header hashes to.

    `cometbft/9`: CometBFT's `SignedHeader.ValidateBasic`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "commit signs block {got}, header hashes to {expected}"


class WrongCommitSize(HeaderVerificationError):
    """The commit has not one entry for each validator.

    `cometbft/10`: CometBFT's `types.ErrInvalidCommitSignatures`.
    """

    expected: int
    got: int
    code: ClassVar[int] = 10
    text: ClassVar[str] = "commit has {got} signatures for {expected} validators"


class WrongValidatorAddress(HeaderVerificationError):
    """A commit entry names another validator than stands at its place in the set.

    `cometbft/11`: CometBFT's `types.VerifyCommitLight`.
    """

    index: int
    expected: str
    got: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "signature {index} names validator {got}, expected {expected}"


class DuplicateVote(HeaderVerificationError):
    """A trusted validator signed more than once; counted twice, its power would not be real.

    `cometbft/12`: CometBFT's `types.VerifyCommitLightTrusting`.
    """

    address: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "validator {address} voted twice"


class WrongSignature(HeaderVerificationError):
    """A signature of the commit does not verify over the vote's sign bytes.

    `cometbft/13`: CometBFT's `types.VerifyCommitLight`.
    """

    index: int
    code: ClassVar[int] = 13
    text: ClassVar[str] = "signature {index} does not verify"


class NotEnoughTrust(HeaderVerificationError):
    """Trusted validators that signed hold no more than the trust level (1/3) of the trusted power.

    Update to a height in between first; a relayer bisects when it sees this.

    `cometbft/14`: CometBFT's `light.ErrNewValSetCantBeTrusted`.
    """

    got: int
    needed: int
    code: ClassVar[int] = 14
    text: ClassVar[str] = "trusted validators signed with power {got}, more than {needed} needed"


class NotEnoughPower(HeaderVerificationError):
    """The signers hold no more than 2/3 of the header's own validator set.

    `cometbft/15`: CometBFT's `types.ErrNotEnoughVotingPowerSigned`.
    """

    got: int
    needed: int
    code: ClassVar[int] = 15
    text: ClassVar[str] = "validators signed with power {got}, more than {needed} needed"


class MalformedHeader(HeaderVerificationError):
    """A field of the header has a form that CometBFT never produces.

    `cometbft/16`: CometBFT's `Header.ValidateBasic`.
    """

    field: str
    reason: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "malformed header: {field}: {reason}"


class MalformedCommit(HeaderVerificationError):
    """A field of the commit has a form that CometBFT never produces.

    `cometbft/17`: CometBFT's `Commit.ValidateBasic`.
    """

    field: str
    reason: str
    code: ClassVar[int] = 17
    text: ClassVar[str] = "malformed commit: {field}: {reason}"


class MalformedValidatorSet(HeaderVerificationError):
    """A validator set is empty or has no valid proposer, or a member's key, address or power does not fit.

    `cometbft/18`: CometBFT's `ValidatorSet.ValidateBasic`.
    """

    field: str
    reason: str
    code: ClassVar[int] = 18
    text: ClassVar[str] = "malformed validator set: {field}: {reason}"
