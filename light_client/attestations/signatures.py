"""Whether a quorum of attestors signed, and nobody else."""

from ibc_core.crypto import ethereum
from ibc_core.errors import DuplicateSigner, InvalidAttestorSignature, QuorumNotMet, UnknownSigner
from ibc_proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from light_client.attestations.attested import signed_digest
from light_client.attestations.states import ClientState, attestors


def check_signatures(state: ClientState, proof: pb.AttestationProof, tag: bytes) -> None:
    """Checks that each signature of `proof` is of another attestor, and that there are enough.

    One bad signature spoils a proof, however many good ones there are.

    Raises:
        InvalidAttestorSignature: there is none, or one that recovers no key.
        QuorumNotMet: there are too few.
        DuplicateSigner, UnknownSigner: one is of an attestor who signed before, or of nobody.
    """
    # guard: h167-no-signatures-needed test_membership_that_is_not_shown
    if not proof.signatures:
        raise InvalidAttestorSignature("signatures cannot be empty")
    # guard: h167-no-quorum test_h167_a_quorum_signs_and_nobody_else
    if len(proof.signatures) < state.min_required_sigs:
        raise QuorumNotMet(state.min_required_sigs, len(proof.signatures))
    known, seen = attestors(state), set[bytes]()
    digest = signed_digest(tag, proof.attestation_data)
    for number, signature in enumerate(proof.signatures):
        signer = ethereum.recover(digest, signature)
        if signer is None:
            # guard: h167-a-signature-of-nobody {=> continue} test_h167_a_quorum_signs_and_nobody_else
            raise InvalidAttestorSignature(f"no public key recovered from signature {number}")
        # guard: h167-one-attestor-twice test_h167_a_quorum_signs_and_nobody_else
        if signer in seen:
            raise DuplicateSigner(signer.hex())
        # guard: h167-a-stranger-signs test_h167_a_quorum_signs_and_nobody_else
        if signer not in known:
            raise UnknownSigner(signer.hex())
        seen.add(signer)
