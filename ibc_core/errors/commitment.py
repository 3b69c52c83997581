"""Errors of ICS-23: proofs (codespace `commitment`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class CommitmentError(IbcError):
    """Any error of codespace `commitment`."""

    codespace: ClassVar[str] = "commitment"


class InvalidProof(CommitmentError):
    """A proof cannot be decoded, has a shape that its specification forbids, or does not lead to the root.

    The shape matters as much as the hashes: with free prefixes or lengths, one node could be passed
    off as another.

    `commitment/2`: ICS-23, ibc-go's `ErrInvalidProof`.
    """

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "invalid Merkle proof: {reason}"


class InvalidPrefix(CommitmentError):
    """An invalid commitment prefix, as other chains report it.

    Never raised here: prefixes are checked with the counterparty that they belong to.

    `commitment/3`: ICS-23, ibc-go's `ErrInvalidPrefix`.
    """

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid prefix: {reason}"


class InvalidMerkleProof(CommitmentError):
    """A chained proof is empty, has no root, or has not one proof for each store between value and root.

    `commitment/4`: ICS-23, ibc-go's `ErrInvalidMerkleProof`.
    """

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "invalid chained Merkle proof: {reason}"
