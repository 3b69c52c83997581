"""Errors of ICS-6: the solo machine client (codespace `06-solomachine`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class SolomachineError(IbcError):
    """Any error of codespace `06-solomachine`."""

    codespace: ClassVar[str] = "06-solomachine"


@dataclass(eq=False)
class InvalidSolomachineHeader(SolomachineError):
    """ICS-6: `06-solomachine/2`."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid solo machine header: {reason}"


@dataclass(eq=False)
class InvalidSignatureAndData(SolomachineError):
    """ICS-6: `06-solomachine/4`."""

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid signature and data: {reason}"


@dataclass(eq=False)
class SignatureVerificationFailed(SolomachineError):
    """ICS-6: `06-solomachine/5`."""

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "solo machine's signature does not verify: {reason}"


@dataclass(eq=False)
class InvalidSolomachineProof(SolomachineError):
    """ICS-6: `06-solomachine/6`."""

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid solo machine proof: {reason}"
