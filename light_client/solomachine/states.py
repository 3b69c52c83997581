"""States and messages of a solo machine (ICS-6), and their stateless checks in ibc-go's order."""

from typing import NamedTuple

from light_client.solomachine.keys import decode_public_key
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import (
    InvalidClient,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidMisbehaviour,
    InvalidSignatureAndData,
)
from pyibc.core.identifiers import is_blank


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
