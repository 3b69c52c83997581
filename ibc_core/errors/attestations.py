"""Errors of the attestations light client (codespace `attestations`)."""

from ibc_core.errors.base import IbcError


class AttestationsError(IbcError):
    """Any error of codespace `attestations`."""

    codespace = "attestations"


class InvalidAttestationProof(AttestationsError, code=2, source="ibc-go's `ErrInvalidAttestationProof`"):
    """A proof is no `AttestationProof`."""

    reason: str
    text = "invalid attestation proof: {reason}"


class InvalidAttestorSignature(AttestationsError, code=3, source="ibc-go's `ErrInvalidSignature`"):
    """There is no signature, or one from which no public key can be recovered."""

    reason: str
    text = "invalid signature: {reason}"


class QuorumNotMet(AttestationsError, code=4, source="ibc-go's `ErrInvalidQuorum`"):
    """Fewer signatures than the client wants."""

    required: int
    got: int
    text = "quorum not met: required {required}, got {got}"


class DuplicateSigner(AttestationsError, code=5, source="ibc-go's `ErrDuplicateSigner`"):
    """An attestor signed twice. It spoils the proof, even where enough others signed."""

    address: str  # hexadecimal
    text = "duplicate signer {address}"


class UnknownSigner(AttestationsError, code=6, source="ibc-go's `ErrUnknownSigner`"):
    """A signature is by nobody of the client's attestors: a stranger's, or one over something else."""

    address: str  # hexadecimal, of the key that was recovered
    text = "signer {address} is not in attestor set"


class InvalidAttestationData(AttestationsError, code=7, source="ibc-go's `ErrInvalidAttestationData`"):
    """What was signed is no attestation of packets, or of none."""

    reason: str
    text = "invalid attestation data: {reason}"


class AttestedHeightMismatch(AttestationsError, code=8, source="ibc-go's `ErrInvalidHeight`"):
    """Packets were attested at another height than the proof is for."""

    expected: int
    got: int
    text = "height mismatch: expected {expected}, got {got}"


class AttestationsClientFrozen(AttestationsError, code=10, source="ibc-go's `ErrClientFrozen`"):
    """The client is frozen, and asked without its status having been asked for."""

    client_id: str
    text = "client {client_id} is frozen"


class NotMember(AttestationsError, code=11, source="ibc-go's `ErrNotMember`"):
    """Nothing is attested of that path, or another value."""

    text = "value not found in attested packet commitments"


class InvalidAttestedPath(AttestationsError, code=12, source="ibc-go's `ErrInvalidPath`"):
    """A path is not of exactly one part, or that part is empty.

    The prefix of a counterparty that is followed by such a client is one empty key.
    """

    reason: str
    text = "invalid path: {reason}"


class InvalidAttestedValue(AttestationsError, code=13, source="ibc-go's `ErrInvalidValue`"):
    """A value that is no commitment of 32 bytes cannot be attested."""

    size: int
    text = "value must be 32 bytes, got {size}"


class NonMembershipFailed(AttestationsError, code=17, source="ibc-go's `ErrNonMembershipFailed`"):
    """A path is attested with something other than 32 zero bytes: something is there."""

    text = "non-membership verification failed: commitment is not zero"
