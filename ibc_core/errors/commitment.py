"""Errors of ICS-23: proofs (codespace `commitment`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class CommitmentError(IbcError):
    """Any error of codespace `commitment`."""

    codespace: ClassVar[str] = "commitment"


@dataclass(eq=False)
class InvalidProof(CommitmentError):
    """ICS-23: `commitment/2`."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid Merkle proof: {reason}"


@dataclass(eq=False)
class InvalidPrefix(CommitmentError):
    """ICS-23: `commitment/3`."""

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid prefix: {reason}"


@dataclass(eq=False)
class InvalidMerkleProof(CommitmentError):
    """ICS-23: `commitment/4`."""

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid chained Merkle proof: {reason}"
