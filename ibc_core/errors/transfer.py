"""Errors of ICS-20: token transfer (codespace `transfer`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class TransferError(IbcError):
    """Any error of codespace `transfer`."""

    codespace: ClassVar[str] = "transfer"


class InvalidPacketTimeout(TransferError):
    """An invalid timeout of a transfer, as other chains report it.

    Never raised here: the packet's own checks come first.

    `transfer/2`: ICS-20, ibc-go's `ErrInvalidPacketTimeout`.
    """

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid packet timeout: {reason}"


class InvalidDenomForTransfer(TransferError):
    """A denomination has a blank base, or one that the other chain would read as a voucher's trace.

    It could then be redeemed there for coins that were never escrowed.

    `transfer/3`: ICS-20, ibc-go's `ErrInvalidDenomForTransfer`.
    """

    denom: str
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid denomination {denom!a}: {reason}"


class InvalidTransferVersion(TransferError):
    """The channel or payload has another version than ICS-20's.

    `transfer/4`: ICS-20, ibc-go's `ErrInvalidVersion`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid ICS-20 version {got!a}, expected {expected!a}"


class InvalidAmount(TransferError):
    """A token amount is no positive integer up to 2^256-1.

    `transfer/5`: ICS-20, ibc-go's `ErrInvalidAmount`.
    """

    amount: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid token amount {amount!a}"


class DenomNotFound(TransferError):
    """The hash of a voucher's denomination is not in the store: this chain never received such a coin.

    `transfer/6`: ICS-20, ibc-go's `ErrDenomNotFound`.
    """

    denom: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "no trace of denomination {denom!a}"


class SendDisabled(TransferError):
    """Governance has switched off transfers from this chain, or of this denomination.

    `transfer/7`: ICS-20, ibc-go's `ErrSendDisabled`.
    """

    code: ClassVar[int] = 7
    text: ClassVar[str] = "fungible token transfers from this chain are disabled"


class ReceiveDisabled(TransferError):
    """Governance has switched off transfers to this chain; the sender gets its coins back.

    `transfer/8`: ICS-20, ibc-go's `ErrReceiveDisabled`.
    """

    code: ClassVar[int] = 8
    text: ClassVar[str] = "fungible token transfers to this chain are disabled"


class MaxTransferChannels(TransferError):
    """The channel's number does not fit into 32 bits, as ibc-go requires of transfer channels.

    `transfer/9`: ICS-20, ibc-go's `ErrMaxTransferChannels`.
    """

    channel_id: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "{channel_id}: channel number exceeds 2^32 - 1"


class InvalidAuthorization(TransferError):
    """An invalid authz grant for transfers, as other chains report it.

    Never raised here: this chain has no authz.

    `transfer/10`: ICS-20, ibc-go's `ErrInvalidAuthorization`.
    """

    reason: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid transfer authorization: {reason}"


class InvalidMemo(TransferError):
    """The transfer's memo is too long; sizes in bytes.

    `transfer/11`: ICS-20, ibc-go's `ErrInvalidMemo`.
    """

    size: int
    limit: int
    code: ClassVar[int] = 11
    text: ClassVar[str] = "memo of {size} bytes exceeds {limit}"


class ReceiveFailed(TransferError):
    """A payload of IBC v2 failed on the receiving chain.

    The acknowledgement does not say why; only that chain's events do.

    `transfer/16`: ICS-20, ibc-go's `ErrReceiveFailed`.
    """

    code: ClassVar[int] = 16
    text: ClassVar[str] = "the other chain did not receive the packet"
