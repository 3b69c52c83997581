"""Errors of ICS-7: the tendermint light client (codespace `07-tendermint`)."""

from ibc_core.errors.base import IbcError


class TendermintError(IbcError):
    """Any error of codespace `07-tendermint`."""

    codespace = "07-tendermint"


class InvalidTendermintChainId(TendermintError, code=2, source="ICS-7, ibc-go's `ErrInvalidChainID`"):
    """A chain identifier is blank, longer than CometBFT allows, or has a revision beyond 64 bits."""

    chain_id: str
    expected: str
    text = "invalid chain id {chain_id!a}, expected {expected}"


class InvalidTrustingPeriod(TendermintError, code=3, source="ICS-7, ibc-go's `ErrInvalidTrustingPeriod`"):
    """The trusting period is not positive, or not shorter than the unbonding period.

    Trusted longer than their stake is bonded, validators could sign a fork without loss.
    """

    trusting_ns: int
    unbonding_ns: int
    text = "invalid trusting period {trusting_ns} ns (unbonding {unbonding_ns} ns)"


class InvalidUnbondingPeriod(TendermintError, code=4, source="ICS-7, ibc-go's `ErrInvalidUnbondingPeriod`"):
    """The unbonding period is not positive."""

    got_ns: int
    text = "invalid unbonding period {got_ns} ns"


class InvalidHeaderHeight(TendermintError, code=5, source="ICS-7, ibc-go's `ErrInvalidHeaderHeight`"):
    """A header is not above its trusted height or of its revision, or a client's latest height is invalid."""

    reason: str
    text = "invalid header height: {reason}"


class InvalidHeader(TendermintError, code=6, source="ICS-7, ibc-go's `ErrInvalidHeader`"):
    """One of the two headers of a misbehaviour is missing."""

    reason: str
    text = "invalid header: {reason}"


class InvalidMaxClockDrift(TendermintError, code=7, source="ICS-7, ibc-go's `ErrInvalidMaxClockDrift`"):
    """The clock drift that the client tolerates is not positive."""

    got_ns: int
    text = "invalid max clock drift {got_ns} ns"


class ProcessedTimeNotFound(TendermintError, code=8, source="ICS-7, ibc-go's `ErrProcessedTimeNotFound`"):
    """The client did not record when it processed this height, so a delay cannot be measured."""

    height: str
    text = "no processed time for height {height}"


class ProcessedHeightNotFound(TendermintError, code=9, source="ICS-7, ibc-go's `ErrProcessedHeightNotFound`"):
    """The client did not record at which height of this chain it processed this height."""

    height: str
    text = "no processed height for height {height}"


class DelayPeriodNotPassed(TendermintError, code=10, source="ICS-7, ibc-go's `ErrDelayPeriodNotPassed`"):
    """The consensus state is younger than the connection's delay period, in time or in blocks.

    The delay leaves time to report misbehaviour before a packet acts on a forged header.
    """

    needed: str
    got: str
    text = "delay period not passed: until {needed}, now {got}"


class TrustingPeriodExpired(TendermintError, code=11, source="ICS-7, ibc-go's `ErrTrustingPeriodExpired`"):
    """A misbehaviour relies on a consensus state that is older than the trusting period."""

    trusted_ns: int
    now_ns: int
    text = "trusting period expired: trusted time {trusted_ns} ns, now {now_ns} ns"


class UnbondingPeriodExpired(TendermintError, code=12, source="ICS-7, ibc-go's `ErrUnbondingPeriodExpired`"):
    """A trusted state older than the unbonding period, as other chains report it.

    Never raised here: the trusting period, which is shorter, ends first.
    """

    reason: str
    text = "unbonding period expired: {reason}"


class InvalidProofSpecs(TendermintError, code=13, source="ICS-7, ibc-go's `ErrInvalidProofSpecs`"):
    """A client state has no proof specifications, or one whose sizes would let nodes be confused."""

    reason: str
    text = "invalid proof specs: {reason}"


class InvalidValidatorSet(TendermintError, code=14, source="ICS-7, ibc-go's `ErrInvalidValidatorSet`"):
    """The trusted validators of a header are missing, or not those the consensus state commits to."""

    reason: str
    text = "invalid validator set: {reason}"


class InvalidTrustLevel(TendermintError, code=15, source="ICS-7, ibc-go's `ErrInvalidTrustLevel`"):
    """The trust level is outside [1/3, 1], or overflows with the validators' power.

    Below 1/3, the signers of a header might all be faulty.
    """

    numerator: int
    denominator: int
    text = "trust level {numerator}/{denominator} is outside [1/3, 1]"
