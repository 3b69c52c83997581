"""Attestations client: its states and attestations, and their stateless checks in ibc-go's order.

Attestations are in Solidity's ABI: the time of a height, or commitments at paths at a height.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from google.protobuf.message import DecodeError

from pyibc.codec.abi import WORD, AbiReader
from pyibc.codec.anys import decode_any, encode_any, pack
from pyibc.codec.encoding import encode
from pyibc.core.crypto import ethereum
from pyibc.core.errors import InvalidClient, InvalidConsensus, InvalidType
from pyibc.core.numbers import MAX_U64
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb

NS_PER_SECOND = 10**9
STATE_TAG, PACKET_TAG = b"\x01", b"\x02"
"""Domain separators, prepended to the signed data of each kind of attestation."""

_RECORD = 2 * WORD


class AttestedState(NamedTuple):
    """Solidity's `StateAttestation`: the time of a height."""

    height: int
    time_ns: int  # whole seconds, modulo 2^64 as Go multiplies


class AttestedPackets(NamedTuple):
    """Solidity's `PacketAttestation`, whose packets are decoded lazily."""

    height: int
    packets: bytes  # 64 bytes each: Keccak-256 of a path, then its commitment

    def at(self, path: bytes) -> Iterator[bytes]:
        """Yield the 32-byte commitments attested for a path, given as its Keccak-256 hash."""
        for begin in range(0, len(self.packets), _RECORD):
            if self.packets[begin : begin + WORD] == path:
                yield self.packets[begin + WORD : begin + _RECORD]


def decode_state(data: bytes) -> AttestedState:
    """Decode a state attestation, two words, ignoring trailing bytes.

    Raises:
        InvalidType: the data is too short, or a word exceeds 64 bits.
    """
    reader = AbiReader(data, "state attestation")
    return AttestedState(reader.u64(0), reader.u64(WORD) * NS_PER_SECOND & MAX_U64)


def decode_packets(data: bytes) -> AttestedPackets:
    """Decode a packet attestation, a tuple of a height and an array.

    Raises:
        InvalidType: an offset or the array is out of bounds, or the height exceeds 64 bits.
    """
    reader = AbiReader(data, "packet attestation").inner(0)
    return AttestedPackets(reader.u64(0), reader.records(WORD, 2))


def is_attestation(data: bytes) -> bool:
    """Return whether data is a state attestation, or a packet attestation with at least one packet."""
    try:
        return bool(decode_packets(data).packets)
    except InvalidType:
        pass
    try:
        decode_state(data)
    except InvalidType:
        return False
    return True


def signed_digest(tag: bytes, data: bytes) -> bytes:
    """Return the 32-byte digest of ABI-encoded data that attestors sign; `tag` is the kind of attestation."""
    # guard: h167-what-is-signed-has-no-tag drop:tag test_h167_a_quorum_signs_and_nobody_else
    return sha256(tag + sha256(data).digest()).digest()


# -- signing of attestations, for attestors written in Python and for tests

NOTHING = bytes(WORD)
"""Commitment of an absent path."""


class AttestedEntry(NamedTuple):
    """A path of the attested chain and its commitment."""

    path: bytes  # IBC path with the counterparty's prefix
    commitment: bytes = NOTHING  # 32 bytes


def attest_state(keys: Sequence[bytes], height: int, time_ns: int) -> pb.AttestationProof:
    """Return a client message, signed by `keys`, with the time of `height` in whole seconds."""
    return sign_attestation(keys, state_data(height, time_ns), STATE_TAG)


def attest_packets(
    keys: Sequence[bytes], height: int, entries: Iterable[AttestedEntry]
) -> pb.AttestationProof:
    """Return a proof, signed by `keys`, of commitments at paths at `height`."""
    return sign_attestation(keys, packets_data(height, entries), PACKET_TAG)


def state_data(height: int, time_ns: int) -> bytes:
    """Return the ABI encoding of a state attestation."""
    return _word(height) + _word(time_ns // NS_PER_SECOND)


def packets_data(height: int, entries: Iterable[AttestedEntry]) -> bytes:
    """Return the ABI encoding of a packet attestation."""
    listed = [ethereum.keccak256(each.path) + each.commitment for each in entries]
    head = _word(WORD) + _word(height) + _word(2 * WORD) + _word(len(listed))
    return head + b"".join(listed)


def sign_attestation(keys: Sequence[bytes], data: bytes, tag: bytes) -> pb.AttestationProof:
    """Return ABI-encoded data with a signature of each key."""
    digest = signed_digest(tag, data)
    return pb.AttestationProof(attestation_data=data, signatures=[ethereum.sign(key, digest) for key in keys])


def encode_proof(proof: pb.AttestationProof) -> bytes:
    """Return the encoded proof for a packet message."""
    return encode(proof)


def _word(number: int) -> bytes:
    return number.to_bytes(WORD, "big")


_ADDRESS = re.compile("(?:0[xX])?([0-9a-fA-F]{40})")


class ClientState(NamedTuple):
    """Attestors, quorum and latest height of a client."""

    attestor_addresses: tuple[str, ...]  # as given: in any case, with or without 0x
    min_required_sigs: int
    latest_height: int  # in revision 0
    is_frozen: bool


def decode_client_state(raw: bytes) -> ClientState:
    """Return the client state encoded in an Any's value.

    Raises:
        InvalidClient: the bytes are malformed.
    """
    try:
        wire = pb.ClientState.FromString(raw)
    except DecodeError:
        raise InvalidClient("malformed client state") from None
    return ClientState(
        tuple(wire.attestor_addresses), wire.min_required_sigs, wire.latest_height, wire.is_frozen
    )


def decode_consensus_state(raw: bytes) -> int:
    """Return the time of a consensus state encoded in an Any's value, in Unix nanoseconds.

    Raises:
        InvalidConsensus: the bytes are malformed.
    """
    try:
        wire = pb.ConsensusState.FromString(raw)
    except DecodeError:
        raise InvalidConsensus("malformed consensus state") from None
    time_ns: int = wire.timestamp
    return time_ns


def check_client_state(state: ClientState) -> None:
    """Check a client state.

    Raises:
        InvalidClient: the quorum is 0 or exceeds the number of attestors, or an address is malformed or
            repeated.
    """
    count = len(state.attestor_addresses)
    # guard: h167-a-quorum-of-none attestations/test_client::test_states_that_cannot_be
    if state.min_required_sigs == 0:
        raise InvalidClient("min required sigs cannot be 0")
    # guard: h167-a-quorum-above-all attestations/test_client::test_states_that_cannot_be
    if state.min_required_sigs > count:
        raise InvalidClient("min required sigs cannot exceed number of attestors")
    # guard: h167-an-attestor-twice-in-the-state attestations/test_client::test_states_that_cannot_be
    if len(attestors(state)) != count:
        raise InvalidClient("duplicate attestor address")


def attestors(state: ClientState) -> frozenset[bytes]:
    """Return the attestors' addresses, 20 bytes each.

    Raises:
        InvalidClient: an address is malformed.
    """
    return frozenset(map(_address, state.attestor_addresses))


def _address(text: str) -> bytes:
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise InvalidClient(f"invalid attestor address {text[:100]!a}")
    return bytes.fromhex(found[1])


def load_client_state(stored: bytes) -> ClientState:
    """Return the client state in the stored Any."""
    return decode_client_state(decode_any(stored).value)


def load_consensus_state(stored: bytes) -> int:
    """Return the time in the stored Any of a consensus state."""
    return decode_consensus_state(decode_any(stored).value)


def store_client_state(state: ClientState) -> bytes:
    """Return the Any of a client state to store."""
    return encode_any(pack(pb.ClientState(**state._asdict())))


def store_consensus_state(time_ns: int) -> bytes:
    """Return the Any of a consensus state to store."""
    return encode_any(pack(pb.ConsensusState(timestamp=time_ns)))
