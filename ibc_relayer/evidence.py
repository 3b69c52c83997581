"""Two headers of one chain that cannot both be honest, as a client takes them (ICS-7 misbehaviour). Pure."""

from collections.abc import Iterator

from google.protobuf.message import DecodeError

from ibc_core.any_message import AnyMessage
from ibc_core.height import Height, revision_of
from ibc_core.wire.anys import pack
from ibc_proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import Header, Misbehaviour
from ibc_proto.tendermint.types import types_pb2, validator_pb2
from ibc_proto.varint import MalformedVarint, read_varint
from ibc_relayer.endpoint import LightBlock
from light_client.tendermint.codec import HEADER_TYPE_URL

_PACKED = b"\x0a" + bytes([len(HEADER_TYPE_URL)]) + HEADER_TYPE_URL.encode() + b"\x12"
"""How the Any of a header begins, wherever it stands in a transaction."""
_MAX_VARINT = 5


def headers_in(tx: bytes, chain_id: str) -> Iterator[Header]:
    """Every header of a chain in a transaction, also inside the messages of other modules.

    What looks like one and is none is passed over: anybody may write such bytes.
    """
    at = tx.find(_PACKED)
    while at >= 0:
        at += len(_PACKED)
        header = _header_at(tx, at)
        if header is not None and header.signed_header.header.chain_id == chain_id:
            yield header
        at = tx.find(_PACKED, at)


def contradicts(header: Header, own: LightBlock) -> bool:
    """Whether a header and a block of the chain itself exclude each other.

    Of one height they must be the same block; of different heights their times must grow with them.
    """
    theirs, ours = header.signed_header.header, _signed(own).header
    if theirs.height == ours.height:
        block_id = _signed(own).commit.block_id
        return header.signed_header.commit.block_id.hash != block_id.hash
    lower, upper = (theirs, ours) if theirs.height < ours.height else (ours, theirs)
    return lower.time.ToNanoseconds() >= upper.time.ToNanoseconds()


def misbehaviour(client_id: str, header: Header, own: LightBlock, trusted: LightBlock) -> AnyMessage:
    """The evidence, for MsgUpdateClient.

    Args:
        client_id: the client that is to freeze.
        header: what somebody gave a client, with the validators that signed it.
        own: what contradicts it.
        trusted: the block one above a height below both that the client holds as the chain has it.
    """
    ours = Header(
        signed_header=_signed(own), validator_set=validator_pb2.ValidatorSet.FromString(own.validators)
    )
    theirs = Header()
    theirs.CopyFrom(header)
    chain_id = header.signed_header.header.chain_id
    for each in (ours, theirs):
        each.trusted_validators.ParseFromString(trusted.validators)
        each.trusted_height.revision_number = revision_of(chain_id)
        each.trusted_height.revision_height = trusted.height - 1
    first, second = (theirs, ours) if _height(theirs) >= _height(ours) else (ours, theirs)
    evidence = Misbehaviour(client_id=client_id, header_1=first, header_2=second)
    return pack(evidence)


def height_of(header: Header) -> Height:
    """With the revision of its chain's id."""
    return Height(revision_of(header.signed_header.header.chain_id), _height(header))


def _signed(block: LightBlock) -> types_pb2.SignedHeader:
    return types_pb2.SignedHeader.FromString(block.signed_header)


def _height(header: Header) -> int:
    return int(header.signed_header.header.height)


def _header_at(tx: bytes, at: int) -> Header | None:
    try:
        size, start = read_varint(tx, at, min(at + _MAX_VARINT, len(tx)))
    except MalformedVarint:
        return None
    return _parsed(tx[start : start + size], size)


def _parsed(raw: bytes, size: int) -> Header | None:
    if len(raw) != size:
        return None
    try:
        return Header.FromString(raw)
    except DecodeError:
        return None
