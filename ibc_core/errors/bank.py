"""Errors of the host's bank, with the codes of the Cosmos SDK's x/bank (codespace `bank`)."""

from ibc_core.errors.base import IbcError


class BankError(IbcError):
    """Any error of codespace `bank`."""

    codespace = "bank"


class NoInputs(BankError, code=2, source="Cosmos SDK's `ErrNoInputs`"):
    """A multi-send says nobody who pays."""

    text = "no inputs to send transaction"


class NoOutputs(BankError, code=3, source="Cosmos SDK's `ErrNoOutputs`"):
    """A multi-send says nobody who is paid."""

    text = "no outputs to send transaction"


class InputOutputMismatch(BankError, code=4, source="Cosmos SDK's `ErrInputOutputMismatch`"):
    """A multi-send would make coins, or lose some."""

    text = "sum inputs != sum outputs"


class MultipleSenders(BankError, code=9, source="Cosmos SDK's `ErrMultipleSenders`"):
    """A multi-send says several who pay."""

    text = "multiple senders not allowed"
