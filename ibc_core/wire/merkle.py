"""Merkle proofs in messages (ICS-23): one commitment proof for each tree, innermost first."""

from collections.abc import Iterable

from google.protobuf.message import DecodeError

from ibc_core.errors import InvalidProof
from ibc_core.wire.encoding import encode
from ibc_proto.cosmos.ics23.v1 import proofs_pb2
from ibc_proto.ibc.core.commitment.v1 import commitment_pb2


def encode_merkle_proof(proofs: Iterable[bytes]) -> bytes:
    """`ibc.core.commitment.v1.MerkleProof` of encoded CommitmentProofs, as `ProofOp.data` holds them.

    Raises:
        InvalidProof: one of them is not a CommitmentProof.
    """
    return encode(commitment_pb2.MerkleProof(proofs=[_commitment_proof(raw) for raw in proofs]))


def encode_merkle_proofs(firsts: Iterable[bytes], last: bytes) -> list[bytes]:
    """`encode_merkle_proof` of each of `firsts` with `last`, as of entries of one store.

    Raises:
        InvalidProof: one of them is not a CommitmentProof.
    """
    tail = encode_merkle_proof([last])  # messages that follow each other are one, with the proofs of both
    return [encode_merkle_proof([each]) + tail for each in firsts]


def decode_merkle_proof(raw: bytes) -> tuple[bytes, ...]:
    """The CommitmentProofs of an encoded `MerkleProof`, encoded again one by one.

    Raises:
        InvalidProof: `raw` is not a MerkleProof.
    """
    try:
        proofs = commitment_pb2.MerkleProof.FromString(raw).proofs
    except DecodeError as error:
        raise InvalidProof("malformed MerkleProof") from error
    return tuple([encode(proof) for proof in proofs])


def _commitment_proof(raw: bytes) -> proofs_pb2.CommitmentProof:
    try:
        return proofs_pb2.CommitmentProof.FromString(raw)
    except DecodeError as error:
        raise InvalidProof("malformed CommitmentProof") from error
