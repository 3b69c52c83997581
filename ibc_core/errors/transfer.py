"""Errors of ICS-20: token transfer (codespace `transfer`)."""

from ibc_core.errors.base import IbcError


class TransferError(IbcError):
    """Any error of codespace `transfer`."""

    codespace = "transfer"


class InvalidPacketTimeout(TransferError, code=2, source="ICS-20, ibc-go's `ErrInvalidPacketTimeout`"):
    """An invalid timeout of a transfer, as other chains report it.

    Never raised here: the packet's own checks come first.
    """

    reason: str
    text = "invalid packet timeout: {reason}"


class InvalidDenomForTransfer(TransferError, code=3, source="ICS-20, ibc-go's `ErrInvalidDenomForTransfer`"):
    """A denomination has a blank base, or one that the other chain would read as a voucher's trace.

    It could then be redeemed there for coins that were never escrowed.
    """

    denom: str
    reason: str
    text = "invalid denomination {denom!a}: {reason}"


class InvalidTransferVersion(TransferError, code=4, source="ICS-20, ibc-go's `ErrInvalidVersion`"):
    """The channel or payload has another version than ICS-20's."""

    expected: str
    got: str
    text = "invalid ICS-20 version {got!a}, expected {expected!a}"


class InvalidAmount(TransferError, code=5, source="ICS-20, ibc-go's `ErrInvalidAmount`"):
    """A token amount is no positive integer up to 2^256-1."""

    amount: str
    text = "invalid token amount {amount!a}"


class DenomNotFound(TransferError, code=6, source="ICS-20, ibc-go's `ErrDenomNotFound`"):
    """The hash of a voucher's denomination is not in the store: this chain never received such a coin."""

    denom: str
    text = "no trace of denomination {denom!a}"


class SendDisabled(TransferError, code=7, source="ICS-20, ibc-go's `ErrSendDisabled`"):
    """Governance has switched off transfers from this chain, or of this denomination."""

    text = "fungible token transfers from this chain are disabled"


class ReceiveDisabled(TransferError, code=8, source="ICS-20, ibc-go's `ErrReceiveDisabled`"):
    """Governance has switched off transfers to this chain; the sender gets its coins back."""

    text = "fungible token transfers to this chain are disabled"


class MaxTransferChannels(TransferError, code=9, source="ICS-20, ibc-go's `ErrMaxTransferChannels`"):
    """The channel's number does not fit into 32 bits, as ibc-go requires of transfer channels."""

    channel_id: str
    text = "{channel_id}: channel number exceeds 2^32 - 1"


class InvalidAuthorization(TransferError, code=10, source="ICS-20, ibc-go's `ErrInvalidAuthorization`"):
    """An invalid authz grant for transfers, as other chains report it.

    Never raised here: this chain has no authz.
    """

    reason: str
    text = "invalid transfer authorization: {reason}"


class InvalidMemo(TransferError, code=11, source="ICS-20, ibc-go's `ErrInvalidMemo`"):
    """The transfer's memo is too long; sizes in bytes."""

    size: int
    limit: int
    text = "memo of {size} bytes exceeds {limit}"


class ReceiveFailed(TransferError, code=16, source="ICS-20, ibc-go's `ErrReceiveFailed`"):
    """A payload of IBC v2 failed on the receiving chain.

    The acknowledgement does not say why; only that chain's events do.
    """

    text = "the other chain did not receive the packet"
