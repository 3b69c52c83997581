"""Errors of ICS-7: the tendermint light client (codespace `07-tendermint`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class TendermintError(IbcError):
    """Any error of codespace `07-tendermint`."""

    codespace: ClassVar[str] = "07-tendermint"


@dataclass(eq=False)
class InvalidTendermintChainId(TendermintError):
    """ICS-7: `07-tendermint/2`."""

    chain_id: str
    expected: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid chain id {chain_id!a}, expected {expected}"


@dataclass(eq=False)
class InvalidTrustingPeriod(TendermintError):
    """ICS-7: `07-tendermint/3`."""

    trusting_ns: int
    unbonding_ns: int
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid trusting period {trusting_ns} ns (unbonding {unbonding_ns} ns)"


@dataclass(eq=False)
class InvalidUnbondingPeriod(TendermintError):
    """ICS-7: `07-tendermint/4`."""

    got_ns: int
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid unbonding period {got_ns} ns"


@dataclass(eq=False)
class InvalidHeaderHeight(TendermintError):
    """ICS-7: `07-tendermint/5`."""

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid header height: {reason}"


@dataclass(eq=False)
class InvalidHeader(TendermintError):
    """ICS-7: `07-tendermint/6`."""

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid header: {reason}"


@dataclass(eq=False)
class InvalidMaxClockDrift(TendermintError):
    """ICS-7: `07-tendermint/7`."""

    got_ns: int
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid max clock drift {got_ns} ns"


@dataclass(eq=False)
class ProcessedTimeNotFound(TendermintError):
    """ICS-7: `07-tendermint/8`."""

    height: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "no processed time for height {height}"


@dataclass(eq=False)
class ProcessedHeightNotFound(TendermintError):
    """ICS-7: `07-tendermint/9`."""

    height: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "no processed height for height {height}"


@dataclass(eq=False)
class DelayPeriodNotPassed(TendermintError):
    """ICS-7: `07-tendermint/10`."""

    needed: str
    got: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "delay period not passed: until {needed}, now {got}"


@dataclass(eq=False)
class TrustingPeriodExpired(TendermintError):
    """ICS-7: `07-tendermint/11`."""

    trusted_ns: int
    now_ns: int
    code: ClassVar[int] = 11
    text: ClassVar[str] = "trusting period expired: trusted time {trusted_ns} ns, now {now_ns} ns"


@dataclass(eq=False)
class UnbondingPeriodExpired(TendermintError):
    """ICS-7: `07-tendermint/12`."""

    reason: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "unbonding period expired: {reason}"


@dataclass(eq=False)
class InvalidProofSpecs(TendermintError):
    """ICS-7: `07-tendermint/13`."""

    reason: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "invalid proof specs: {reason}"


@dataclass(eq=False)
class InvalidValidatorSet(TendermintError):
    """ICS-7: `07-tendermint/14`."""

    reason: str
    code: ClassVar[int] = 14
    text: ClassVar[str] = "invalid validator set: {reason}"


@dataclass(eq=False)
class InvalidTrustLevel(TendermintError):
    """ICS-7: `07-tendermint/15`."""

    numerator: int
    denominator: int
    code: ClassVar[int] = 15
    text: ClassVar[str] = "trust level {numerator}/{denominator} is outside [1/3, 1]"
