"""Encoding of `MerkleProof` (ICS-23): one commitment proof per tree, from leaf to root."""

from collections.abc import Iterable

from google.protobuf.message import DecodeError

from pyibc.codec.encoding import encode
from pyibc.core.errors import InvalidProof
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.ibc.core.commitment.v1 import commitment_pb2


def encode_merkle_proof(proofs: Iterable[bytes]) -> bytes:
    """Return the encoded `MerkleProof` of encoded CommitmentProofs, such as `ProofOp.data`.

    Raises:
        InvalidProof: a proof is no CommitmentProof.
    """
    return encode(commitment_pb2.MerkleProof(proofs=[_commitment_proof(raw) for raw in proofs]))


def encode_merkle_proofs(firsts: Iterable[bytes], last: bytes) -> list[bytes]:
    """Return the encoded `MerkleProof` of each of `firsts` with `last`, for entries of one store.

    Raises:
        InvalidProof: a proof is no CommitmentProof.
    """
    tail = encode_merkle_proof([last])  # concatenated protobuf messages are merged
    return [encode_merkle_proof([each]) + tail for each in firsts]


def decode_merkle_proof(raw: bytes) -> tuple[bytes, ...]:
    """Return the CommitmentProofs in an encoded `MerkleProof`, each encoded again.

    Raises:
        InvalidProof: `raw` is no MerkleProof.
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
