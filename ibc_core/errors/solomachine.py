"""Errors of ICS-6: the solo machine client (codespace `06-solomachine`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class SolomachineError(IbcError):
    """Any error of codespace `06-solomachine`."""

    codespace: ClassVar[str] = "06-solomachine"


class InvalidSolomachineHeader(SolomachineError):
    """A header that would rotate the solo machine's key is not signed by its current key.

    `06-solomachine/2`: ICS-6, ibc-go's `ErrInvalidHeader`.
    """

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid solo machine header: {reason}"


class InvalidSignatureAndData(SolomachineError):
    """A half of the evidence lacks its signature, data, path or timestamp.

    `06-solomachine/4`: ICS-6, ibc-go's `ErrInvalidSignatureAndData`.
    """

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid signature and data: {reason}"


class SignatureVerificationFailed(SolomachineError):
    """The signature is malformed, not of the machine's key, or of fewer keys than its threshold.

    `06-solomachine/5`: ICS-6, ibc-go's `ErrSignatureVerificationFailed`.
    """

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "solo machine's signature does not verify: {reason}"


class InvalidSolomachineProof(SolomachineError):
    """A proof is malformed, unsigned, or of an earlier time than the machine's last one.

    `06-solomachine/6`: ICS-6, ibc-go's `ErrInvalidProof`.
    """

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid solo machine proof: {reason}"
