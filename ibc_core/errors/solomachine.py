"""Errors of ICS-6: the solo machine client (codespace `06-solomachine`)."""

from ibc_core.errors.base import IbcError


class SolomachineError(IbcError):
    """Any error of codespace `06-solomachine`."""

    codespace = "06-solomachine"


class InvalidSolomachineHeader(SolomachineError, code=2, source="ICS-6, ibc-go's `ErrInvalidHeader`"):
    """A header that would rotate the solo machine's key is not signed by its current key."""

    reason: str
    text = "invalid solo machine header: {reason}"


class InvalidSignatureAndData(
    SolomachineError, code=4, source="ICS-6, ibc-go's `ErrInvalidSignatureAndData`"
):
    """A half of the evidence lacks its signature, data, path or timestamp."""

    reason: str
    text = "invalid signature and data: {reason}"


class SignatureVerificationFailed(
    SolomachineError, code=5, source="ICS-6, ibc-go's `ErrSignatureVerificationFailed`"
):
    """The signature is malformed, not of the machine's key, or of fewer keys than its threshold."""

    reason: str
    text = "solo machine's signature does not verify: {reason}"


class InvalidSolomachineProof(SolomachineError, code=6, source="ICS-6, ibc-go's `ErrInvalidProof`"):
    """A proof is malformed, unsigned, or of an earlier time than the machine's last one."""

    reason: str
    text = "invalid solo machine proof: {reason}"
