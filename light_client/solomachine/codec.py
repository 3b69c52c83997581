"""Encodings of a solo machine's states, messages, proofs and sign bytes (ICS-6)."""

from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from light_client.solomachine.keys import canonical
from light_client.solomachine.states import (
    ClientState,
    ConsensusState,
    Header,
    Misbehaviour,
    SignatureAndData,
)
from pyibc.codec.anys import AnyMessage, decode_any, encode_any, pack_any, unpack_any
from pyibc.codec.encoding import encode
from pyibc.core.errors import (
    IbcError,
    InvalidClient,
    InvalidConsensus,
    InvalidProof,
    InvalidSignatureAndData,
    InvalidSolomachineProof,
    UnpackAny,
)
from pyibc.core.memo import memoize
from pyibc.core.proofs.decode import BYTES, VARINT, Allowance, fields
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb

CLIENT_STATE_TYPE_URL = "/ibc.lightclients.solomachine.v3.ClientState"
CONSENSUS_STATE_TYPE_URL = "/ibc.lightclients.solomachine.v3.ConsensusState"
HEADER_TYPE_URL = "/ibc.lightclients.solomachine.v3.Header"
MISBEHAVIOUR_TYPE_URL = "/ibc.lightclients.solomachine.v3.Misbehaviour"

_MERKLE_PATH = {1: BYTES}
_PROOF = {1: BYTES, 2: VARINT}

_M = TypeVar("_M", bound=Message)


def _parse(cls: type[_M], raw: bytes, otherwise: IbcError) -> _M:
    try:
        return cls.FromString(raw)
    except DecodeError:
        raise otherwise from None


def decode_client_state(raw: bytes) -> ClientState:
    """Return the client state encoded in an Any's value.

    Raises:
        InvalidClient: the bytes are malformed.
        InvalidConsensus: there is no consensus state.
    """
    wire = _parse(pb.ClientState, raw, InvalidClient("malformed client state"))
    if not wire.HasField("consensus_state"):
        raise InvalidConsensus("consensus state cannot be nil")
    return ClientState(wire.sequence, wire.is_frozen, _consensus_from(wire.consensus_state))


def decode_consensus_state(raw: bytes) -> ConsensusState:
    """Return the consensus state encoded in an Any's value.

    Raises:
        InvalidConsensus: the bytes are malformed.
    """
    return _consensus_from(_parse(pb.ConsensusState, raw, InvalidConsensus("malformed consensus state")))


def _consensus_from(wire: pb.ConsensusState) -> ConsensusState:
    return ConsensusState(canonical(unpack_any(wire, "public_key")), wire.diversifier, wire.timestamp)


def _consensus_to(state: ConsensusState) -> pb.ConsensusState:
    key = pack_any(state.public_key)
    return pb.ConsensusState(public_key=key, diversifier=state.diversifier, timestamp=state.timestamp)


def encode_client_state(state: ClientState) -> bytes:
    """Return the encoding of a client state, the value of its Any."""
    return encode(
        pb.ClientState(
            sequence=state.sequence,
            is_frozen=state.is_frozen,
            consensus_state=_consensus_to(state.consensus_state),
        )
    )


def encode_consensus_state(state: ConsensusState) -> bytes:
    """Return the encoding of a consensus state, the value of its Any."""
    return encode(_consensus_to(state))


@memoize(256)
def load_client_state(stored: bytes) -> ClientState:
    """Return the client state in a stored Any.

    Raises:
        InvalidClient, UnpackAny: the Any has another type or is malformed.
    """
    packed = decode_any(stored)
    if packed.type_url != CLIENT_STATE_TYPE_URL:
        raise InvalidClient(f"stored as {packed.type_url[:100]!a}")
    return decode_client_state(packed.value)


def pack_client_state(state: ClientState) -> bytes:
    """Return the Any of a client state to store."""
    return encode_any(AnyMessage(CLIENT_STATE_TYPE_URL, encode_client_state(state)))


def decode_header(raw: bytes) -> Header:
    """Return the `Header` encoded in a client message.

    Raises:
        UnpackAny: the bytes are malformed.
    """
    wire = _parse(pb.Header, raw, UnpackAny(HEADER_TYPE_URL, "malformed"))
    key = canonical(unpack_any(wire, "new_public_key"))
    return Header(wire.timestamp, wire.signature, key, wire.new_diversifier)


def decode_misbehaviour(raw: bytes) -> Misbehaviour:
    """Return the `Misbehaviour` encoded in a client message; an absent signature is empty.

    Raises:
        UnpackAny: the bytes are malformed.
    """
    wire = _parse(pb.Misbehaviour, raw, UnpackAny(MISBEHAVIOUR_TYPE_URL, "malformed"))
    one, two = [
        SignatureAndData(each.signature, each.path, each.data, each.timestamp)
        for each in (wire.signature_one, wire.signature_two)
    ]
    return Misbehaviour(wire.sequence, one, two)


def check_merkle_path(raw: bytes) -> None:
    """Check that the path in a misbehaviour's signature is a Merkle path.

    Raises:
        InvalidSignatureAndData: the bytes are malformed.
    """
    _fields(raw, _MERKLE_PATH, InvalidSignatureAndData("path is no Merkle path"))


def decode_proof(raw: bytes) -> tuple[bytes, int]:
    """Return the signature and the timestamp of a proof.

    Raises:
        InvalidSolomachineProof: the proof is malformed, or has no signature.
    """
    signature, timestamp = b"", 0
    for number, integer, part in _fields(raw, _PROOF, InvalidSolomachineProof("malformed")):
        if number == 1:
            signature = part
        else:
            timestamp = integer
    if not signature:
        raise InvalidSolomachineProof("signature data cannot be empty")
    return signature, timestamp


def _fields(raw: bytes, known: dict[int, int], otherwise: IbcError) -> list[tuple[int, int, bytes]]:
    """Return the fields of bytes that are opaque to the transaction decoder."""
    try:
        return list(fields(raw, known, Allowance(len(raw))))
    except InvalidProof:
        raise otherwise from None


def sign_bytes(sequence: int, timestamp: int, diversifier: str, path: bytes, data: bytes) -> bytes:
    """Return the bytes to sign for `data` at `path`; empty data stands for absence."""
    return encode(
        pb.SignBytes(sequence=sequence, timestamp=timestamp, diversifier=diversifier, path=path, data=data)
    )


def header_data(header: Header) -> bytes:
    """Return the data of a header in its sign bytes."""
    key = pack_any(header.new_public_key)
    return encode(pb.HeaderData(new_pub_key=key, new_diversifier=header.new_diversifier))
