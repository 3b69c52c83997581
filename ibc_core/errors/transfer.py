"""Errors of ICS-20: token transfer (codespace `transfer`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class TransferError(IbcError):
    """Any error of codespace `transfer`."""

    codespace: ClassVar[str] = "transfer"


@dataclass(eq=False)
class InvalidPacketTimeout(TransferError):
    """ICS-20: `transfer/2`."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid packet timeout: {reason}"


@dataclass(eq=False)
class InvalidDenomForTransfer(TransferError):
    """ICS-20: `transfer/3`."""

    denom: str
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid denomination {denom!a}: {reason}"


@dataclass(eq=False)
class InvalidTransferVersion(TransferError):
    """ICS-20: `transfer/4`."""

    expected: str
    got: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid ICS-20 version {got!a}, expected {expected!a}"


@dataclass(eq=False)
class InvalidAmount(TransferError):
    """ICS-20: `transfer/5`."""

    amount: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid token amount {amount!a}"


@dataclass(eq=False)
class DenomNotFound(TransferError):
    """ICS-20: `transfer/6`."""

    denom: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "no trace of denomination {denom!a}"


@dataclass(eq=False)
class SendDisabled(TransferError):
    """ICS-20: `transfer/7`."""

    code: ClassVar[int] = 7
    text: ClassVar[str] = "fungible token transfers from this chain are disabled"


@dataclass(eq=False)
class ReceiveDisabled(TransferError):
    """ICS-20: `transfer/8`."""

    code: ClassVar[int] = 8
    text: ClassVar[str] = "fungible token transfers to this chain are disabled"


@dataclass(eq=False)
class MaxTransferChannels(TransferError):
    """ICS-20: `transfer/9`."""

    channel_id: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "{channel_id}: channel number exceeds 2^32 - 1"


@dataclass(eq=False)
class InvalidAuthorization(TransferError):
    """ICS-20: `transfer/10`."""

    reason: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid transfer authorization: {reason}"


@dataclass(eq=False)
class InvalidMemo(TransferError):
    """ICS-20: `transfer/11`."""

    size: int
    limit: int
    code: ClassVar[int] = 11
    text: ClassVar[str] = "memo of {size} bytes exceeds {limit}"


@dataclass(eq=False)
class ReceiveFailed(TransferError):
    """ICS-20: `transfer/16`; why is in the other chain's events alone."""

    code: ClassVar[int] = 16
    text: ClassVar[str] = "the other chain did not receive the packet"
