"""Errors of CometBFT's header verifier (codespace `cometbft`); ibc-go reports them as `undefined/1`."""

from pyibc.core.errors.base import IbcError


class HeaderVerificationError(IbcError):
    """Any error of codespace `cometbft`."""

    codespace = "cometbft"


class HeaderExpired(HeaderVerificationError, code=1, source="CometBFT's `light.ErrOldHeaderExpired`"):
    """The trusted header is older than the trusting period.

    Its validators may have unbonded and could sign a fork without being slashed.
    """

    trusted_ns: int
    now_ns: int
    text = "trusted header of {trusted_ns} ns expired at {now_ns} ns"


class HeaderFromFuture(HeaderVerificationError, code=2, source="CometBFT's `light.verifyNewHeaderAndVals`"):
    """The header's time is beyond this chain's block time plus the maximum clock drift.

    A time in the future would time out packets too early.
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
    """The header's chain id is not that of the tracked chain."""

    expected: str
    got: str
    text = "header of chain {got!a}, expected {expected!a}"


class ValidatorsHashMismatch(
    HeaderVerificationError, code=6, source="CometBFT's `light.verifyNewHeaderAndVals`"
):
    """The validator set does not match the validators hash in the header."""

    expected: str
    got: str
    text = "validators hash {got}, expected {expected}"


class NextValidatorsHashMismatch(HeaderVerificationError, code=7, source="CometBFT's `light.VerifyAdjacent`"):
    """The validators hash of an adjacent header is not the trusted next validators hash."""

    expected: str
    got: str
    text = "validators hash {got} is not the trusted next validators hash {expected}"


class WrongCommitHeight(HeaderVerificationError, code=8, source="CometBFT's `SignedHeader.ValidateBasic`"):
    """The commit is for another height than the header's."""

    expected: int
    got: int
    text = "commit of height {got}, header of height {expected}"


class WrongBlockId(HeaderVerificationError, code=9, source="CometBFT's `SignedHeader.ValidateBasic`"):
    """The commit signs another block id than the header's hash."""

    expected: str
    got: str
    text = "commit signs block {got}, header hashes to {expected}"


class WrongCommitSize(
    HeaderVerificationError, code=10, source="CometBFT's `types.ErrInvalidCommitSignatures`"
):
    """The commit does not have one entry per validator."""

    expected: int
    got: int
    text = "commit has {got} signatures for {expected} validators"


class WrongValidatorAddress(HeaderVerificationError, code=11, source="CometBFT's `types.VerifyCommitLight`"):
    """A commit entry has another address than the validator at its index."""

    index: int
    expected: str
    got: str
    text = "signature {index} names validator {got}, expected {expected}"


class DuplicateVote(HeaderVerificationError, code=12, source="CometBFT's `types.VerifyCommitLightTrusting`"):
    """A trusted validator signed more than once, and must not be counted twice."""

    address: str
    text = "validator {address} voted twice"


class WrongSignature(HeaderVerificationError, code=13, source="CometBFT's `types.VerifyCommitLight`"):
    """A signature of the commit does not verify over the vote's sign bytes."""

    index: int
    text = "signature {index} does not verify"


class NotEnoughTrust(HeaderVerificationError, code=14, source="CometBFT's `light.ErrNewValSetCantBeTrusted`"):
    """The trusted validators that signed have no more than the trust level (1/3) of the trusted power.

    Update to a height in between first; relayers bisect on this error.
    """

    got: int
    needed: int
    text = "trusted validators signed with power {got}, more than {needed} needed"


class NotEnoughPower(
    HeaderVerificationError, code=15, source="CometBFT's `types.ErrNotEnoughVotingPowerSigned`"
):
    """The signers have no more than 2/3 of the power of the header's own validator set."""

    got: int
    needed: int
    text = "validators signed with power {got}, more than {needed} needed"


class MalformedHeader(HeaderVerificationError, code=16, source="CometBFT's `Header.ValidateBasic`"):
    """A field of the header is invalid by CometBFT's rules."""

    field: str
    reason: str
    text = "malformed header: {field}: {reason}"


class MalformedCommit(HeaderVerificationError, code=17, source="CometBFT's `Commit.ValidateBasic`"):
    """A field of the commit is invalid by CometBFT's rules."""

    field: str
    reason: str
    text = "malformed commit: {field}: {reason}"


class MalformedValidatorSet(
    HeaderVerificationError, code=18, source="CometBFT's `ValidatorSet.ValidateBasic`"
):
    """A validator set is empty, has no valid proposer, or has an invalid key, address or power."""

    field: str
    reason: str
    text = "malformed validator set: {field}: {reason}"
