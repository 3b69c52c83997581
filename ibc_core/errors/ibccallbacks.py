"""Errors of the callbacks middleware (ADR-8; codespace `ibccallbacks`, as ibc-go's)."""

from ibc_core.errors.base import IbcError


class CallbackError(IbcError):
    """Any error of codespace `ibccallbacks`."""

    codespace = "ibccallbacks"


class CallbackAddressNotFound(CallbackError, code=5, source="ADR-8, ibc-go's `ErrCallbackAddressNotFound`"):
    """A packet asks for a callback at an address where no plugin has a contract."""

    address: str
    text = "no contract has the address {address!a}"


class CallbackOutOfGas(CallbackError, code=6, source="ADR-8, ibc-go's `ErrCallbackOutOfGas`"):
    """A contract used more gas than the packet's sender allowed, although the transaction had as much."""

    callback: str
    text = "ibc {callback} callback out of gas: callback out of gas"


class CallbackPanicked(CallbackError, code=7, source="ADR-8, ibc-go's `ErrCallbackPanic`"):
    """A contract raised what is no refusal: a bug of its own, whose text is in the node's log alone."""

    callback: str
    raised: str  # the name of its class
    text = "ibc {callback} callback panicked with: {raised}: callback panic"


class InvalidCallbackData(CallbackError, code=8, source="ADR-8, ibc-go's `ErrInvalidCallbackData`"):
    """What a packet says of its callback is malformed: it is not sent, or answered with an error."""

    reason: str
    text = "{reason}: invalid callback data"
