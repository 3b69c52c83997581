"""Errors of ICS-23: proofs (codespace `commitment`)."""

from ibc_core.errors.base import IbcError


class CommitmentError(IbcError):
    """Any error of codespace `commitment`."""

    codespace = "commitment"


class InvalidProof(CommitmentError, code=2, source="ICS-23, ibc-go's `ErrInvalidProof`"):
    """A proof cannot be decoded, has a shape that its specification forbids, or does not lead to the root.

    The shape matters as much as the hashes: with free prefixes or lengths, one node could be passed
    off as another.
    """

    reason: str
    text = "invalid Merkle proof: {reason}"


class InvalidPrefix(CommitmentError, code=3, source="ICS-23, ibc-go's `ErrInvalidPrefix`"):
    """An invalid commitment prefix, as other chains report it.

    Never raised here: prefixes are checked with the counterparty that they belong to.
    """

    reason: str
    text = "invalid prefix: {reason}"


class InvalidMerkleProof(CommitmentError, code=4, source="ICS-23, ibc-go's `ErrInvalidMerkleProof`"):
    """A chained proof is empty, has no root, or has not one proof for each store between value and root."""

    reason: str
    text = "invalid chained Merkle proof: {reason}"
