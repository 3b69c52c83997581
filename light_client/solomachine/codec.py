"""Solo machine (ICS-6): states, messages and proofs with their encodings, sign bytes and stateless checks.

The checks are in ibc-go's order.
"""

from typing import NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message

from light_client.solomachine.keys import canonical, decode_public_key
from pyibc.codec.anys import AnyMessage, decode_any, encode_any, pack_any, unpack_any
from pyibc.codec.encoding import encode
from pyibc.core.errors import (
    IbcError,
    InvalidClient,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidMisbehaviour,
    InvalidProof,
    InvalidSignatureAndData,
    InvalidSolomachineProof,
    UnpackAny,
)
from pyibc.core.identifiers import is_blank
from pyibc.core.memo import memoize
from pyibc.core.proofs.decode import BYTES, VARINT, Allowance, fields
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb


class ConsensusState(NamedTuple):
    """The current key of a solo machine."""

    public_key: AnyMessage
    diversifier: str  # part of what is signed, so that one key can have several clients
    timestamp: int  # of the latest signature, in the machine's own unit


class ClientState(NamedTuple):
    """State of a solo machine client."""

    sequence: int  # of the next signature
    is_frozen: bool
    consensus_state: ConsensusState


class Header(NamedTuple):
    """The machine's next key, signed with the current key."""

    timestamp: int
    signature: bytes
    new_public_key: AnyMessage
    new_diversifier: str


class SignatureAndData(NamedTuple):
    """One of two signatures for one sequence."""

    signature: bytes
    path: bytes
    data: bytes
    timestamp: int


class Misbehaviour(NamedTuple):
    """Two signatures for one sequence over different data."""

    sequence: int
    one: SignatureAndData
    two: SignatureAndData


def check_client_state(state: ClientState) -> None:
    """Check a client state.

    Raises:
        InvalidClient: the sequence is zero.
        InvalidConsensus: see `check_consensus_state`.
    """
    if state.sequence == 0:
        raise InvalidClient("sequence cannot be 0")
    check_consensus_state(state.consensus_state)


def check_consensus_state(state: ConsensusState) -> None:
    """Check a consensus state.

    Raises:
        InvalidConsensus: the timestamp is 0, the diversifier is blank, or there is no key.
    """
    if state.timestamp == 0:
        raise InvalidConsensus("timestamp cannot be 0")
    if state.diversifier and is_blank(state.diversifier):
        raise InvalidConsensus("diversifier cannot contain only spaces")
    decode_public_key(state.public_key)


def check_header(header: Header) -> None:
    """Check a header.

    Raises:
        InvalidClientHeader: the timestamp is 0, the diversifier is blank, or signature or key is missing.
    """
    if header.timestamp == 0:
        raise InvalidClientHeader("timestamp cannot be 0")
    if header.new_diversifier and is_blank(header.new_diversifier):
        raise InvalidClientHeader("diversifier cannot contain only spaces")
    if not header.signature:
        raise InvalidClientHeader("signature cannot be empty")
    try:
        decode_public_key(header.new_public_key)
    except InvalidConsensus as error:
        raise InvalidClientHeader(f"new public key: {error.reason}") from None


def check_misbehaviour(evidence: Misbehaviour) -> None:
    """Check misbehaviour.

    Raises:
        InvalidSignatureAndData: a field of a signature is missing.
        InvalidMisbehaviour: the sequence is 0, or the signatures or their data are equal.
    """
    if evidence.sequence == 0:
        raise InvalidMisbehaviour("sequence cannot be 0")
    one, two = evidence.one, evidence.two
    for name, each in (("one", one), ("two", two)):
        for what, content in (("signature", each.signature), ("data", each.data), ("path", each.path)):
            if not content:
                raise InvalidSignatureAndData(f"{what} of signature {name} cannot be empty")
        if each.timestamp == 0:
            raise InvalidSignatureAndData(f"timestamp of signature {name} cannot be 0")
    if one.signature == two.signature:
        raise InvalidMisbehaviour("signatures cannot be equal")
    if one.path == two.path and one.data == two.data:
        raise InvalidMisbehaviour("signatures must be over different messages")


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
