"""States of an attestations client, as protobuf stores them, and their basic checks in ibc-go's order."""

import re
from typing import NamedTuple

from google.protobuf.message import DecodeError

from ibc_core.errors import InvalidClient, InvalidConsensus
from ibc_core.wire.anys import decode_any, encode_any, pack
from ibc_proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb

_ADDRESS = re.compile("(?:0[xX])?([0-9a-fA-F]{40})")


class ClientState(NamedTuple):
    """Who attests, how many of them must, and what was attested last."""

    attestor_addresses: tuple[str, ...]  # as they were given: in any letters, with or without 0x
    min_required_sigs: int
    latest_height: int  # in revision 0
    is_frozen: bool


def decode_client_state(raw: bytes) -> ClientState:
    """Who attests, and what was attested last, from the bytes inside of an Any.

    Raises:
        InvalidClient: they do not decode.
    """
    try:
        wire = pb.ClientState.FromString(raw)
    except DecodeError:
        raise InvalidClient("malformed client state") from None
    return ClientState(
        tuple(wire.attestor_addresses), wire.min_required_sigs, wire.latest_height, wire.is_frozen
    )


def decode_consensus_state(raw: bytes) -> int:
    """The time, unix nanoseconds, of a consensus state: from the bytes inside of an Any.

    Raises:
        InvalidConsensus: they do not decode.
    """
    try:
        wire = pb.ConsensusState.FromString(raw)
    except DecodeError:
        raise InvalidConsensus("malformed consensus state") from None
    time_ns: int = wire.timestamp
    return time_ns


def check_client_state(state: ClientState) -> None:
    """Checks a client state by itself.

    Raises:
        InvalidClient: no quorum, one of more than there are, a malformed address, or one that occurs twice.
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
    """The attestors' addresses, 20 bytes each.

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
    """What `store_client_state` wrote."""
    return decode_client_state(decode_any(stored).value)


def load_consensus_state(stored: bytes) -> int:
    """What `store_consensus_state` wrote."""
    return decode_consensus_state(decode_any(stored).value)


def store_client_state(state: ClientState) -> bytes:
    """An Any, as states of clients are stored."""
    return encode_any(pack(pb.ClientState(**state._asdict())))


def store_consensus_state(time_ns: int) -> bytes:
    """An Any of the time that was attested."""
    return encode_any(pack(pb.ConsensusState(timestamp=time_ns)))
