"""Errors of proofs and light clients; those of header verification are in `verifier`."""

from pyibc.core.errors.base import IbcError

# -- ICS-23 proofs (codespace `commitment`)


class CommitmentError(IbcError):
    """Any error of codespace `commitment`."""

    codespace = "commitment"


class InvalidProof(CommitmentError, code=2, source="ICS-23, ibc-go's `ErrInvalidProof`"):
    """A proof is malformed, does not conform to its specification, or has another root.

    Conformance matters as much as hashes: with arbitrary prefixes or lengths, one node could be taken for
    another.
    """

    reason: str
    text = "invalid Merkle proof: {reason}"


class InvalidPrefix(CommitmentError, code=3, source="ICS-23, ibc-go's `ErrInvalidPrefix`"):
    """An invalid commitment prefix, as reported by other chains.

    Never raised here: prefixes are checked together with their counterparty.
    """

    reason: str
    text = "invalid prefix: {reason}"


class InvalidMerkleProof(CommitmentError, code=4, source="ICS-23, ibc-go's `ErrInvalidMerkleProof`"):
    """A chained proof is empty, has no root, or does not have one proof per tree."""

    reason: str
    text = "invalid chained Merkle proof: {reason}"


# -- ICS-7 (codespace `07-tendermint`)


class TendermintError(IbcError):
    """Any error of codespace `07-tendermint`."""

    codespace = "07-tendermint"


class InvalidTendermintChainId(TendermintError, code=2, source="ICS-7, ibc-go's `ErrInvalidChainID`"):
    """A chain identifier is blank, longer than CometBFT allows, or has a revision beyond 64 bits."""

    chain_id: str
    expected: str
    text = "invalid chain id {chain_id!a}, expected {expected}"


class InvalidTrustingPeriod(TendermintError, code=3, source="ICS-7, ibc-go's `ErrInvalidTrustingPeriod`"):
    """The trusting period is not positive, or not shorter than the unbonding period.

    Validators trusted longer than their stake is bonded could sign a fork without being slashed.
    """

    trusting_ns: int
    unbonding_ns: int
    text = "invalid trusting period {trusting_ns} ns (unbonding {unbonding_ns} ns)"


class InvalidUnbondingPeriod(TendermintError, code=4, source="ICS-7, ibc-go's `ErrInvalidUnbondingPeriod`"):
    """The unbonding period is not positive."""

    got_ns: int
    text = "invalid unbonding period {got_ns} ns"


class InvalidHeaderHeight(TendermintError, code=5, source="ICS-7, ibc-go's `ErrInvalidHeaderHeight`"):
    """A header's height or revision does not follow its trusted height, or a latest height is invalid."""

    reason: str
    text = "invalid header height: {reason}"


class InvalidHeader(TendermintError, code=6, source="ICS-7, ibc-go's `ErrInvalidHeader`"):
    """One of the two headers of a misbehaviour is missing."""

    reason: str
    text = "invalid header: {reason}"


class InvalidMaxClockDrift(TendermintError, code=7, source="ICS-7, ibc-go's `ErrInvalidMaxClockDrift`"):
    """The maximum clock drift is not positive."""

    got_ns: int
    text = "invalid max clock drift {got_ns} ns"


class ProcessedTimeNotFound(TendermintError, code=8, source="ICS-7, ibc-go's `ErrProcessedTimeNotFound`"):
    """The client has no processed time for this height, so a delay period cannot be checked."""

    height: str
    text = "no processed time for height {height}"


class ProcessedHeightNotFound(TendermintError, code=9, source="ICS-7, ibc-go's `ErrProcessedHeightNotFound`"):
    """The client has no processed height for this height, so a block delay cannot be checked."""

    height: str
    text = "no processed height for height {height}"


class DelayPeriodNotPassed(TendermintError, code=10, source="ICS-7, ibc-go's `ErrDelayPeriodNotPassed`"):
    """The delay period since the arrival of the consensus state has not passed, in time or in blocks.

    The delay leaves time to submit misbehaviour before a packet is processed with a forged header.
    """

    needed: str
    got: str
    text = "delay period not passed: until {needed}, now {got}"


class TrustingPeriodExpired(TendermintError, code=11, source="ICS-7, ibc-go's `ErrTrustingPeriodExpired`"):
    """Misbehaviour refers to a consensus state older than the trusting period."""

    trusted_ns: int
    now_ns: int
    text = "trusting period expired: trusted time {trusted_ns} ns, now {now_ns} ns"


class UnbondingPeriodExpired(TendermintError, code=12, source="ICS-7, ibc-go's `ErrUnbondingPeriodExpired`"):
    """A trusted state older than the unbonding period, as reported by other chains.

    Never raised here: the trusting period, which is shorter, ends first.
    """

    reason: str
    text = "unbonding period expired: {reason}"


class InvalidProofSpecs(TendermintError, code=13, source="ICS-7, ibc-go's `ErrInvalidProofSpecs`"):
    """A client state has no proof specifications, or one that does not bound the cost of proofs."""

    reason: str
    text = "invalid proof specs: {reason}"


class InvalidValidatorSet(TendermintError, code=14, source="ICS-7, ibc-go's `ErrInvalidValidatorSet`"):
    """The trusted validators of a header are missing, or do not match the trusted consensus state."""

    reason: str
    text = "invalid validator set: {reason}"


class InvalidTrustLevel(TendermintError, code=15, source="ICS-7, ibc-go's `ErrInvalidTrustLevel`"):
    """The trust level is outside [1/3, 1], or overflows with the validators' power.

    Below 1/3, all signers of a header could be faulty.
    """

    numerator: int
    denominator: int
    text = "trust level {numerator}/{denominator} is outside [1/3, 1]"


# -- ICS-6 (codespace `06-solomachine`)


class SolomachineError(IbcError):
    """Any error of codespace `06-solomachine`."""

    codespace = "06-solomachine"


class InvalidSolomachineHeader(SolomachineError, code=2, source="ICS-6, ibc-go's `ErrInvalidHeader`"):
    """A header with a new key of the solo machine is not signed by its current key."""

    reason: str
    text = "invalid solo machine header: {reason}"


class InvalidSignatureAndData(
    SolomachineError, code=4, source="ICS-6, ibc-go's `ErrInvalidSignatureAndData`"
):
    """A signature of misbehaviour lacks its signature data, data, path or timestamp."""

    reason: str
    text = "invalid signature and data: {reason}"


class SignatureVerificationFailed(
    SolomachineError, code=5, source="ICS-6, ibc-go's `ErrSignatureVerificationFailed`"
):
    """The signature is malformed, not by the machine's key, or by too few keys of a threshold key."""

    reason: str
    text = "solo machine's signature does not verify: {reason}"


class InvalidSolomachineProof(SolomachineError, code=6, source="ICS-6, ibc-go's `ErrInvalidProof`"):
    """A proof is malformed, unsigned, or older than the machine's last signature."""

    reason: str
    text = "invalid solo machine proof: {reason}"


# -- attestations (codespace `attestations`)


class AttestationsError(IbcError):
    """Any error of codespace `attestations`."""

    codespace = "attestations"


class InvalidAttestationProof(AttestationsError, code=2, source="ibc-go's `ErrInvalidAttestationProof`"):
    """A proof is not a valid `AttestationProof`."""

    reason: str
    text = "invalid attestation proof: {reason}"


class InvalidAttestorSignature(AttestationsError, code=3, source="ibc-go's `ErrInvalidSignature`"):
    """The proof has no signatures, or no public key can be recovered from one."""

    reason: str
    text = "invalid signature: {reason}"


class QuorumNotMet(AttestationsError, code=4, source="ibc-go's `ErrInvalidQuorum`"):
    """The proof has fewer signatures than the client requires."""

    required: int
    got: int
    text = "quorum not met: required {required}, got {got}"


class DuplicateSigner(AttestationsError, code=5, source="ibc-go's `ErrDuplicateSigner`"):
    """An attestor signed twice, which invalidates the proof even if there are enough other signatures."""

    address: str  # hexadecimal
    text = "duplicate signer {address}"


class UnknownSigner(AttestationsError, code=6, source="ibc-go's `ErrUnknownSigner`"):
    """A signature is not by one of the client's attestors, or is over other data."""

    address: str  # hexadecimal, of the key that was recovered
    text = "signer {address} is not in attestor set"


class InvalidAttestationData(AttestationsError, code=7, source="ibc-go's `ErrInvalidAttestationData`"):
    """The signed data is not a packet attestation, or one without packets."""

    reason: str
    text = "invalid attestation data: {reason}"


class AttestedHeightMismatch(AttestationsError, code=8, source="ibc-go's `ErrInvalidHeight`"):
    """The height of the packet attestation differs from the proof's height."""

    expected: int
    got: int
    text = "height mismatch: expected {expected}, got {got}"


class AttestationsClientFrozen(AttestationsError, code=10, source="ibc-go's `ErrClientFrozen`"):
    """The client is frozen, and was called without a check of its status."""

    client_id: str
    text = "client {client_id} is frozen"


class NotMember(AttestationsError, code=11, source="ibc-go's `ErrNotMember`"):
    """The attestation does not have the path, or has another value for it."""

    text = "value not found in attested packet commitments"


class InvalidAttestedPath(AttestationsError, code=12, source="ibc-go's `ErrInvalidPath`"):
    """A path does not have exactly one element, or the element is empty.

    The Merkle prefix of a counterparty with such a client is one empty element.
    """

    reason: str
    text = "invalid path: {reason}"


class InvalidAttestedValue(AttestationsError, code=13, source="ibc-go's `ErrInvalidValue`"):
    """A value is not a 32-byte commitment, and cannot be attested."""

    size: int
    text = "value must be 32 bytes, got {size}"


class NonMembershipFailed(AttestationsError, code=17, source="ibc-go's `ErrNonMembershipFailed`"):
    """A path is attested with a commitment other than 32 zero bytes, so it is not absent."""

    text = "non-membership verification failed: commitment is not zero"
