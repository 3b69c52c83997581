"""Errors of the host's own refusals, with the Cosmos SDK's codes (codespace `sdk`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class SdkError(IbcError):
    """Any error of codespace `sdk`."""

    codespace: ClassVar[str] = "sdk"


@dataclass(eq=False)
class TxDecode(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/2`."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "cannot decode transaction: {reason}"


@dataclass(eq=False)
class InvalidSdkSequence(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/3`."""

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid sequence: {reason}"


@dataclass(eq=False)
class UnauthorizedTx(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/4`."""

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "unauthorized: {reason}"


@dataclass(eq=False)
class InsufficientBalance(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/5`."""

    address: str
    balance: str
    needed: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "{address} has {balance}, needs {needed}: insufficient funds"


@dataclass(eq=False)
class UnknownMessage(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/6`."""

    type_url: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "no handler for message {type_url!a}"


@dataclass(eq=False)
class InvalidSdkAddress(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/7`."""

    value: str
    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid address {value!a}: {reason}"


@dataclass(eq=False)
class InvalidPubKey(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/8`."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid public key: {reason}"


@dataclass(eq=False)
class UnknownAccount(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/9`."""

    address: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "account {address} not found: unknown address"


@dataclass(eq=False)
class InvalidSdkCoins(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/10`."""

    coins: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid coins {coins!a}"


@dataclass(eq=False)
class OutOfGas(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/11`."""

    limit: int
    used: int = 0
    code: ClassVar[int] = 11
    text: ClassVar[str] = "out of gas; gasWanted: {limit}, gasUsed: {used}: out of gas"


@dataclass(eq=False)
class MemoTooLarge(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/12`."""

    size: int
    limit: int
    code: ClassVar[int] = 12
    text: ClassVar[str] = "memo of {size} bytes exceeds {limit}"


@dataclass(eq=False)
class InsufficientFee(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/13`."""

    got: str
    needed: str
    code: ClassVar[int] = 13
    # cosmpy reads it, and the gas of OutOfGas
    text: ClassVar[str] = "insufficient fees; got: {got} required: {needed}: insufficient fee"


@dataclass(eq=False)
class TooManySignatures(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/14`."""

    got: int
    limit: int
    code: ClassVar[int] = 14
    text: ClassVar[str] = "{got} signatures, at most {limit}"


@dataclass(eq=False)
class NoSignatures(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/15`."""

    code: ClassVar[int] = 15
    text: ClassVar[str] = "no signatures supplied"


@dataclass(eq=False)
class InvalidSdkRequest(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/18`."""

    reason: str
    code: ClassVar[int] = 18
    text: ClassVar[str] = "invalid request: {reason}"


@dataclass(eq=False)
class TxInMempool(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/19`."""

    code: ClassVar[int] = 19
    text: ClassVar[str] = "transaction is in the mempool already"


@dataclass(eq=False)
class TxTooLarge(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/21`."""

    size: int
    limit: int
    code: ClassVar[int] = 21
    text: ClassVar[str] = "transaction of {size} bytes exceeds {limit}"


@dataclass(eq=False)
class TxTimeoutHeight(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/30`."""

    timeout: int
    height: int
    code: ClassVar[int] = 30
    text: ClassVar[str] = "block height: {height}, timeout height: {timeout}: tx timeout height"


@dataclass(eq=False)
class WrongSequence(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/32`."""

    expected: int
    got: int
    code: ClassVar[int] = 32
    text: ClassVar[str] = (  # relayers read the first half, or the second
        "account sequence mismatch, expected {expected}, got {got}: incorrect account sequence"
    )


@dataclass(eq=False)
class NotSupported(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/37`."""

    feature: str
    code: ClassVar[int] = 37
    text: ClassVar[str] = "{feature}: feature not supported"


@dataclass(eq=False)
class TxTimeout(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/42`; both in unix nanoseconds."""

    timeout_ns: int
    time_ns: int
    code: ClassVar[int] = 42
    text: ClassVar[str] = "block time: {time_ns}, timeout timestamp: {timeout_ns}: tx timeout"


@dataclass(eq=False)
class InvalidGasLimit(SdkError):
    """the host's own refusals, with the Cosmos SDK's codes: `sdk/41`."""

    got: int
    code: ClassVar[int] = 41
    text: ClassVar[str] = "invalid gas limit {got}"
