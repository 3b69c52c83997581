"""Errors of CometBFT's header verifier (ibc-go reports these as undefined/1) (codespace `cometbft`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class HeaderVerificationError(IbcError):
    """Any error of codespace `cometbft`."""

    codespace: ClassVar[str] = "cometbft"


@dataclass(eq=False)
class HeaderExpired(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/1`."""

    trusted_ns: int
    now_ns: int
    code: ClassVar[int] = 1
    text: ClassVar[str] = "trusted header of {trusted_ns} ns expired at {now_ns} ns"


@dataclass(eq=False)
class HeaderFromFuture(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/2`."""

    header_ns: int
    now_ns: int
    drift_ns: int
    code: ClassVar[int] = 2
    text: ClassVar[str] = "header time {header_ns} ns is beyond now {now_ns} ns + drift {drift_ns} ns"


@dataclass(eq=False)
class NonMonotonicTime(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/3`."""

    trusted_ns: int
    header_ns: int
    code: ClassVar[int] = 3
    text: ClassVar[str] = "header time {header_ns} ns is not after trusted time {trusted_ns} ns"


@dataclass(eq=False)
class NonMonotonicHeight(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/4`."""

    trusted: int
    got: int
    code: ClassVar[int] = 4
    text: ClassVar[str] = "header height {got} is not above trusted height {trusted}"


@dataclass(eq=False)
class WrongChainId(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/5`."""

    expected: str
    got: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "header of chain {got!a}, expected {expected!a}"


@dataclass(eq=False)
class ValidatorsHashMismatch(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/6`."""

    expected: str
    got: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "validators hash {got}, expected {expected}"


@dataclass(eq=False)
class NextValidatorsHashMismatch(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/7`."""

    expected: str
    got: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "validators hash {got} is not the trusted next validators hash {expected}"


@dataclass(eq=False)
class WrongCommitHeight(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/8`."""

    expected: int
    got: int
    code: ClassVar[int] = 8
    text: ClassVar[str] = "commit of height {got}, header of height {expected}"


@dataclass(eq=False)
class WrongBlockId(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/9`."""

    expected: str
    got: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "commit signs block {got}, header hashes to {expected}"


@dataclass(eq=False)
class WrongCommitSize(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/10`."""

    expected: int
    got: int
    code: ClassVar[int] = 10
    text: ClassVar[str] = "commit has {got} signatures for {expected} validators"


@dataclass(eq=False)
class WrongValidatorAddress(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/11`."""

    index: int
    expected: str
    got: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "signature {index} names validator {got}, expected {expected}"


@dataclass(eq=False)
class DuplicateVote(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/12`."""

    address: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "validator {address} voted twice"


@dataclass(eq=False)
class WrongSignature(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/13`."""

    index: int
    code: ClassVar[int] = 13
    text: ClassVar[str] = "signature {index} does not verify"


@dataclass(eq=False)
class NotEnoughTrust(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/14`."""

    got: int
    needed: int
    code: ClassVar[int] = 14
    text: ClassVar[str] = "trusted validators signed with power {got}, more than {needed} needed"


@dataclass(eq=False)
class NotEnoughPower(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/15`."""

    got: int
    needed: int
    code: ClassVar[int] = 15
    text: ClassVar[str] = "validators signed with power {got}, more than {needed} needed"


@dataclass(eq=False)
class MalformedHeader(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/16`."""

    field: str
    reason: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "malformed header: {field}: {reason}"


@dataclass(eq=False)
class MalformedCommit(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/17`."""

    field: str
    reason: str
    code: ClassVar[int] = 17
    text: ClassVar[str] = "malformed commit: {field}: {reason}"


@dataclass(eq=False)
class MalformedValidatorSet(HeaderVerificationError):
    """CometBFT's header verifier (ibc-go reports these as undefined/1): `cometbft/18`."""

    field: str
    reason: str
    code: ClassVar[int] = 18
    text: ClassVar[str] = "malformed validator set: {field}: {reason}"
