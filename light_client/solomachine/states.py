"""States and messages of a solo machine (ICS-6) and their basic checks, in ibc-go's order."""

from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.errors import (
    InvalidClient,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidMisbehaviour,
    InvalidSignatureAndData,
)
from ibc_core.identifiers import is_blank
from light_client.solomachine.keys import decode_public_key


class ConsensusState(NamedTuple):
    """What signs now."""

    public_key: AnyMessage
    diversifier: str  # part of what is signed, so that one key can have several clients
    timestamp: int  # of the newest signature, in the unit that the machine likes


class ClientState(NamedTuple):
    """What a client knows of the machine."""

    sequence: int  # that the next signature must be for
    is_frozen: bool
    consensus_state: ConsensusState


class Header(NamedTuple):
    """The machine's next key, signed with the one before."""

    timestamp: int
    signature: bytes
    new_public_key: AnyMessage
    new_diversifier: str


class SignatureAndData(NamedTuple):
    """One of two signatures on one sequence."""

    signature: bytes
    path: bytes
    data: bytes
    timestamp: int


class Misbehaviour(NamedTuple):
    """Two signatures on one sequence, over different things."""

    sequence: int
    one: SignatureAndData
    two: SignatureAndData


def check_client_state(state: ClientState) -> None:
    """Checks a client state by itself.

    Raises:
        InvalidClient: the sequence is zero.
        InvalidConsensus: see `check_consensus_state`.
    """
    if state.sequence == 0:
        raise InvalidClient("sequence cannot be 0")
    check_consensus_state(state.consensus_state)


def check_consensus_state(state: ConsensusState) -> None:
    """Checks a consensus state by itself.

    Raises:
        InvalidConsensus: no time, a blank diversifier, or no key.
    """
    if state.timestamp == 0:
        raise InvalidConsensus("timestamp cannot be 0")
    if state.diversifier and is_blank(state.diversifier):
        raise InvalidConsensus("diversifier cannot contain only spaces")
    decode_public_key(state.public_key)


def check_header(header: Header) -> None:
    """Checks a header by itself.

    Raises:
        InvalidClientHeader: no time, a blank diversifier, no signature, or no key.
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
    """Checks evidence by itself.

    Raises:
        InvalidSignatureAndData: a part of a signature is missing.
        InvalidMisbehaviour: no sequence, or the two do not differ.
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
