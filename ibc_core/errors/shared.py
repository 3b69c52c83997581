"""Errors of ibc-go's shared errors, used by every module (codespace `ibc`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class SharedError(IbcError):
    """Any error of codespace `ibc`."""

    codespace: ClassVar[str] = "ibc"


@dataclass(eq=False)
class InvalidSequence(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/1`."""

    field: str
    got: int
    code: ClassVar[int] = 1
    text: ClassVar[str] = "{field}: invalid sequence {got}"


@dataclass(eq=False)
class Unauthorized(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/2`."""

    expected: str
    got: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "unauthorized: expected {expected}, got {got}"


@dataclass(eq=False)
class InsufficientFunds(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/3`."""

    address: str
    needed: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "{address} has less than {needed}"


@dataclass(eq=False)
class UnknownRequest(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/4`."""

    what: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "unknown request: {what}"


@dataclass(eq=False)
class InvalidAddress(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/5`."""

    field: str
    value: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "{field}: invalid address {value!a}"


@dataclass(eq=False)
class InvalidCoins(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/6`."""

    coins: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid coins {coins!a}"


@dataclass(eq=False)
class InvalidRequest(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/8`."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid request: {reason}"


@dataclass(eq=False)
class InvalidHeight(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/9`."""

    reason: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "invalid height: {reason}"


@dataclass(eq=False)
class InvalidVersion(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/10`."""

    reason: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid version: {reason}"


@dataclass(eq=False)
class InvalidChainId(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/11`."""

    chain_id: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "invalid chain id {chain_id!a}"


@dataclass(eq=False)
class InvalidType(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/12`."""

    expected: str
    got: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "expected type {expected}, got {got}"


@dataclass(eq=False)
class PackAny(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/13`."""

    type_url: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "cannot pack {type_url!a}"


@dataclass(eq=False)
class UnpackAny(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/14`."""

    type_url: str
    reason: str
    code: ClassVar[int] = 14
    text: ClassVar[str] = "cannot unpack {type_url!a}: {reason}"


@dataclass(eq=False)
class LogicFault(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/15`."""

    reason: str
    code: ClassVar[int] = 15
    text: ClassVar[str] = "broken invariant: {reason}"


@dataclass(eq=False)
class NotFound(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/16`."""

    what: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "not found: {what}"


@dataclass(eq=False)
class TooLarge(SharedError):
    """ibc-go's shared errors, used by every module: `ibc/17`."""

    field: str
    size: int
    limit: int
    code: ClassVar[int] = 17
    text: ClassVar[str] = "{field}: size {size} exceeds {limit}"
