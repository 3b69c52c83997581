"""Errors of ICS-7: the tendermint light client (codespace `07-tendermint`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class TendermintError(IbcError):
    """Any error of codespace `07-tendermint`."""

    codespace: ClassVar[str] = "07-tendermint"


class InvalidTendermintChainId(TendermintError):
    """A client state has a blank chain identifier, or one longer than CometBFT allows.

    `07-tendermint/2`: ICS-7, ibc-go's `ErrInvalidChainID`.
    """

    chain_id: str
    expected: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid chain id {chain_id!a}, expected {expected}"


class InvalidTrustingPeriod(TendermintError):
    """The trusting period is not positive, or not shorter than the unbonding period.

    Trusted longer than their stake is bonded, validators could sign a fork without loss.

    `07-tendermint/3`: ICS-7, ibc-go's `ErrInvalidTrustingPeriod`.
    """

    trusting_ns: int
    unbonding_ns: int
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid trusting period {trusting_ns} ns (unbonding {unbonding_ns} ns)"


class InvalidUnbondingPeriod(TendermintError):
    """The unbonding period is not positive.

    `07-tendermint/4`: ICS-7, ibc-go's `ErrInvalidUnbondingPeriod`.
    """

    got_ns: int
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid unbonding period {got_ns} ns"


class InvalidHeaderHeight(TendermintError):
    """A header is not above its trusted height or of its revision, or a client's latest height is invalid.

    `07-tendermint/5`: ICS-7, ibc-go's `ErrInvalidHeaderHeight`.
    """

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid header height: {reason}"


class InvalidHeader(TendermintError):
    """One of the two headers of a misbehaviour is missing.

    `07-tendermint/6`: ICS-7, ibc-go's `ErrInvalidHeader`.
    """

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid header: {reason}"


class InvalidMaxClockDrift(TendermintError):
    """The clock drift that the client tolerates is not positive.

    `07-tendermint/7`: ICS-7, ibc-go's `ErrInvalidMaxClockDrift`.
    """

    got_ns: int
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid max clock drift {got_ns} ns"


class ProcessedTimeNotFound(TendermintError):
    """The client did not record when it processed this height, so a delay cannot be measured.

    `07-tendermint/8`: ICS-7, ibc-go's `ErrProcessedTimeNotFound`.
    """

    height: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "no processed time for height {height}"


class ProcessedHeightNotFound(TendermintError):
    """The client did not record at which height of this chain it processed this height.

    `07-tendermint/9`: ICS-7, ibc-go's `ErrProcessedHeightNotFound`.
    """

    height: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "no processed height for height {height}"


class DelayPeriodNotPassed(TendermintError):
    """The consensus state is younger than the connection's delay period, in time or in blocks.

    The delay leaves time to report misbehaviour before a packet acts on a forged header.

    `07-tendermint/10`: ICS-7, ibc-go's `ErrDelayPeriodNotPassed`.
    """

    needed: str
    got: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "delay period not passed: until {needed}, now {got}"


class TrustingPeriodExpired(TendermintError):
    """A misbehaviour relies on a consensus state that is older than the trusting period.

    `07-tendermint/11`: ICS-7, ibc-go's `ErrTrustingPeriodExpired`.
    """

    trusted_ns: int
    now_ns: int
    code: ClassVar[int] = 11
    text: ClassVar[str] = "trusting period expired: trusted time {trusted_ns} ns, now {now_ns} ns"


class UnbondingPeriodExpired(TendermintError):
    """A trusted state older than the unbonding period, as other chains report it.

    Never raised here: the trusting period, which is shorter, ends first.

    `07-tendermint/12`: ICS-7, ibc-go's `ErrUnbondingPeriodExpired`.
    """

    reason: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "unbonding period expired: {reason}"


class InvalidProofSpecs(TendermintError):
    """A client state has no proof specifications, or one whose sizes would let nodes be confused.

    `07-tendermint/13`: ICS-7, ibc-go's `ErrInvalidProofSpecs`.
    """

    reason: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "invalid proof specs: {reason}"


class InvalidValidatorSet(TendermintError):
    """The trusted validators of a header are missing, or not those the consensus state commits to.

    `07-tendermint/14`: ICS-7, ibc-go's `ErrInvalidValidatorSet`.
    """

    reason: str
    code: ClassVar[int] = 14
    text: ClassVar[str] = "invalid validator set: {reason}"


class InvalidTrustLevel(TendermintError):
    """The trust level is outside [1/3, 1], or overflows with the validators' power.

    Below 1/3, the signers of a header might all be faulty.

    `07-tendermint/15`: ICS-7, ibc-go's `ErrInvalidTrustLevel`.
    """

    numerator: int
    denominator: int
    code: ClassVar[int] = 15
    text: ClassVar[str] = "trust level {numerator}/{denominator} is outside [1/3, 1]"
