"""States of an attestations client, their encodings, and their stateless checks in ibc-go's order."""

import re
from typing import NamedTuple

from google.protobuf.message import DecodeError

from pyibc.codec.anys import decode_any, encode_any, pack
from pyibc.core.errors import InvalidClient, InvalidConsensus
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb

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
