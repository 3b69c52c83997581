"""Errors of CometBFT's header verifier (codespace `cometbft`); ibc-go reports them as `undefined/1`."""

from ibc_core.errors.base import IbcError


class HeaderVerificationError(IbcError):
    """Any error of codespace `cometbft`."""

    codespace = "cometbft"


class HeaderExpired(HeaderVerificationError, code=1, source="CometBFT's `light.ErrOldHeaderExpired`"):
    """The trusted header is older than the trusting period.

    Its validators may have unbonded and could sign a fork without loss.
    """

    trusted_ns: int
    now_ns: int
    text = "trusted header of {trusted_ns} ns expired at {now_ns} ns"


class HeaderFromFuture(HeaderVerificationError, code=2, source="CometBFT's `light.verifyNewHeaderAndVals`"):
    """The header's time is beyond this chain's block time and the tolerated drift.

    A time far ahead would time packets out that are not due.
    """

    header_ns: int
    now_ns: int
    drift_ns: int
    text = "header time {header_ns} ns is beyond now {now_ns} ns + drift {drift_ns} ns"


class NonMonotonicTime(HeaderVerificationError, code=3, source="CometBFT's `light.verifyNewHeaderAndVals`"):
    """The header's time is not after the trusted header's."""

    trusted_ns: int
    header_ns: int
    text = "header time {header_ns} ns is not after trusted time {trusted_ns} ns"


class NonMonotonicHeight(HeaderVerificationError, code=4, source="CometBFT's `light.verifyNewHeaderAndVals`"):
    """The header's height is not above the trusted height."""

    trusted: int
    got: int
    text = "header height {got} is not above trusted height {trusted}"


class WrongChainId(HeaderVerificationError, code=5, source="CometBFT's `SignedHeader.ValidateBasic`"):
    """The header is of another chain than the client follows."""

    expected: str
    got: str
    text = "header of chain {got!a}, expected {expected!a}"


class ValidatorsHashMismatch(
    HeaderVerificationError, code=6, source="CometBFT's `light.verifyNewHeaderAndVals`"
):
    """The validator set that came along is not the one whose hash the header holds."""

    expected: str
    got: str
    text = "validators hash {got}, expected {expected}"


class NextValidatorsHashMismatch(HeaderVerificationError, code=7, source="CometBFT's `light.VerifyAdjacent`"):
    """The next header is not by the validators that the trusted header announced for it."""

    expected: str
    got: str
    text = "validators hash {got} is not the trusted next validators hash {expected}"


class WrongCommitHeight(HeaderVerificationError, code=8, source="CometBFT's `SignedHeader.ValidateBasic`"):
    """The commit is for another height than the header's."""

    expected: int
    got: int
    text = "commit of height {got}, header of height {expected}"


class WrongBlockId(HeaderVerificationError, code=9, source="CometBFT's `SignedHeader.ValidateBasic`"):
    """The commit signs another block than the header hashes to."""

    expected: str
    got: str
    text = "commit signs block {got}, header hashes to {expected}"


class WrongCommitSize(
    HeaderVerificationError, code=10, source="CometBFT's `types.ErrInvalidCommitSignatures`"
):
    """The commit has not one entry for each validator."""

    expected: int
    got: int
    text = "commit has {got} signatures for {expected} validators"


class WrongValidatorAddress(HeaderVerificationError, code=11, source="CometBFT's `types.VerifyCommitLight`"):
    """A commit entry names another validator than stands at its place in the set."""

    index: int
    expected: str
    got: str
    text = "signature {index} names validator {got}, expected {expected}"


class DuplicateVote(HeaderVerificationError, code=12, source="CometBFT's `types.VerifyCommitLightTrusting`"):
    """A trusted validator signed more than once; counted twice, its power would not be real."""

    address: str
    text = "validator {address} voted twice"


class WrongSignature(HeaderVerificationError, code=13, source="CometBFT's `types.VerifyCommitLight`"):
    """A signature of the commit does not verify over the vote's sign bytes."""

    index: int
    text = "signature {index} does not verify"


class NotEnoughTrust(HeaderVerificationError, code=14, source="CometBFT's `light.ErrNewValSetCantBeTrusted`"):
    """Trusted validators that signed hold no more than the trust level (1/3) of the trusted power.

    Update to a height in between first; a relayer bisects when it sees this.
    """

    got: int
    needed: int
    text = "trusted validators signed with power {got}, more than {needed} needed"


class NotEnoughPower(
    HeaderVerificationError, code=15, source="CometBFT's `types.ErrNotEnoughVotingPowerSigned`"
):
    """The signers hold no more than 2/3 of the header's own validator set."""

    got: int
    needed: int
    text = "validators signed with power {got}, more than {needed} needed"


class MalformedHeader(HeaderVerificationError, code=16, source="CometBFT's `Header.ValidateBasic`"):
    """A field of the header has a form that CometBFT never produces."""

    field: str
    reason: str
    text = "malformed header: {field}: {reason}"


class MalformedCommit(HeaderVerificationError, code=17, source="CometBFT's `Commit.ValidateBasic`"):
    """A field of the commit has a form that CometBFT never produces."""

    field: str
    reason: str
    text = "malformed commit: {field}: {reason}"


class MalformedValidatorSet(
    HeaderVerificationError, code=18, source="CometBFT's `ValidatorSet.ValidateBasic`"
):
    """A validator set is empty or has no valid proposer, or a member's key, address or power does not fit."""

    field: str
    reason: str
    text = "malformed validator set: {field}: {reason}"
