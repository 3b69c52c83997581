"""What an attestor signs, for those written in Python, and what its signatures are gathered in."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ibc_core.crypto import ethereum
from ibc_core.wire.abi import WORD
from ibc_core.wire.encoding import encode
from ibc_proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from light_client.attestations.attested import NS_PER_SECOND, PACKET_TAG, STATE_TAG, signed_digest

NOTHING = bytes(WORD)
"""What is attested of a path where nothing stands."""


class AttestedEntry(NamedTuple):
    """What stands at a path of the chain that is attested."""

    path: bytes  # as IBC names it, with the counterparty's prefix before it
    commitment: bytes = NOTHING  # 32 bytes


def attest_state(keys: Sequence[bytes], height: int, time_ns: int) -> pb.AttestationProof:
    """A client message: these private keys say the time of `height`; parts of a second are cut off."""
    return sign_attestation(keys, state_data(height, time_ns), STATE_TAG)


def attest_packets(
    keys: Sequence[bytes], height: int, entries: Iterable[AttestedEntry]
) -> pb.AttestationProof:
    """A proof: these private keys say what stood at paths at `height`."""
    return sign_attestation(keys, packets_data(height, entries), PACKET_TAG)


def state_data(height: int, time_ns: int) -> bytes:
    """What is signed of a height's time."""
    return _word(height) + _word(time_ns // NS_PER_SECOND)


def packets_data(height: int, entries: Iterable[AttestedEntry]) -> bytes:
    """What is signed of paths at a height."""
    listed = [ethereum.keccak256(each.path) + each.commitment for each in entries]
    head = _word(WORD) + _word(height) + _word(2 * WORD) + _word(len(listed))
    return head + b"".join(listed)


def sign_attestation(keys: Sequence[bytes], data: bytes, tag: bytes) -> pb.AttestationProof:
    """Data in Solidity's ABI with a signature of each key."""
    digest = signed_digest(tag, data)
    return pb.AttestationProof(attestation_data=data, signatures=[ethereum.sign(key, digest) for key in keys])


def encode_proof(proof: pb.AttestationProof) -> bytes:
    """The bytes of a proof, as a packet message carries it."""
    return encode(proof)


def _word(number: int) -> bytes:
    return number.to_bytes(WORD, "big")
