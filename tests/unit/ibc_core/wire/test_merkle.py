import pytest

from ibc_core.errors import InvalidProof
from ibc_core.wire import merkle
from ibc_proto.cosmos.ics23.v1 import proofs_pb2

PROOF = proofs_pb2.CommitmentProof(exist=proofs_pb2.ExistenceProof(key=b"k", value=b"v")).SerializeToString()


def test_a_merkle_proof_lists_its_commitment_proofs():
    raw = merkle.encode_merkle_proof([PROOF, b""])
    assert raw == b"\x0a\x08" + PROOF + b"\x0a\x00"
    assert merkle.decode_merkle_proof(raw) == (PROOF, b"")


def test_garbage_is_refused():
    with pytest.raises(InvalidProof):
        merkle.encode_merkle_proof([b"\xff"])
    with pytest.raises(InvalidProof):
        merkle.decode_merkle_proof(b"\x0a\x05x")
