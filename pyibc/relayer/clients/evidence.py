"""Misbehaviour of 07-tendermint clients: two conflicting headers of one chain (ICS-7).

A consumer chain's misbehaviour is also reported to its provider (CCV). Field numbers of those messages are of
cosmos/interchain-security, proto/interchain_security/ccv/provider/v1.
"""

from collections.abc import Iterator

from google.protobuf.message import DecodeError

from light_client.tendermint.codec import HEADER_TYPE_URL
from pyibc.codec.anys import AnyMessage, pack
from pyibc.core.errors import IbcError
from pyibc.core.height import Height, revision_of
from pyibc.proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import Header, Misbehaviour
from pyibc.proto.tendermint.types import types_pb2, validator_pb2
from pyibc.proto.varint import MalformedVarint, encode_varint, read_varint
from pyibc.relayer.chain.endpoint import ChainEndpoint, Consumer
from pyibc.relayer.chain.values import LightBlock
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.money.fees import field_of

CONSUMER_CHAIN = "/interchain_security.ccv.provider.v1.Query/QueryConsumerChain"
SUBMIT = "/interchain_security.ccv.provider.v1.MsgSubmitConsumerMisbehaviour"
MISBEHAVIOUR = "/ibc.lightclients.tendermint.v1.Misbehaviour"
_CHAIN_ID, _CLIENT_ID = 2, 9


def consumer_client(consumer: Consumer, provider: ChainEndpoint, chain_id: str) -> str | None:
    """Return the client of a consumer chain on its provider; None: this is not its provider.

    Raises:
        EndpointUnavailable, MalformedAnswer: the chain does not answer, or not as it should.
    """
    try:
        answer = provider.grpc(CONSUMER_CHAIN, _field(1, consumer.id.encode()))
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:  # no provider, or one without this consumer
        return None
    # guard: any-chain-s-consumer drop test_a_consumer_of_another_chain_is_not_reported
    if field_of(answer, _CHAIN_ID) != chain_id.encode():
        return None
    return (field_of(answer, _CLIENT_ID) or b"").decode("ascii", "replace") or None


def consumer_misbehaviour(consumer: Consumer, submitter: str, evidence: AnyMessage) -> AnyMessage:
    """Return MsgSubmitConsumerMisbehaviour."""
    parts = ((1, submitter.encode()), (2, evidence.value), (3, consumer.id.encode()))
    return AnyMessage(SUBMIT, b"".join(_field(number, raw) for number, raw in parts))


def _field(number: int, raw: bytes) -> bytes:
    return encode_varint(8 * number + 2) + encode_varint(len(raw)) + raw


_PACKED = b"\x0a" + bytes([len(HEADER_TYPE_URL)]) + HEADER_TYPE_URL.encode() + b"\x12"
"""First bytes of an Any with a header, at any nesting in a transaction."""
_MAX_VARINT = 5


def headers_in(tx: bytes, chain_id: str) -> Iterator[Header]:
    """Yield the headers of a chain in a transaction, including those nested in messages of other modules.

    Bytes that do not decode as a header are skipped, since any user can submit such bytes.
    """
    at = tx.find(_PACKED)
    while at >= 0:
        at += len(_PACKED)
        header = _header_at(tx, at)
        if header is not None and header.signed_header.header.chain_id == chain_id:
            yield header
        at = tx.find(_PACKED, at)


def contradicts(header: Header, own: LightBlock) -> bool:
    """Return whether a header conflicts with a block of the chain itself.

    Headers of the same height must have the same block id; at different heights, time must increase with
    height.
    """
    theirs, ours = header.signed_header.header, signed_header(own).header
    if theirs.height == ours.height:
        block_id = signed_header(own).commit.block_id
        return header.signed_header.commit.block_id.hash != block_id.hash
    lower, upper = (theirs, ours) if theirs.height < ours.height else (ours, theirs)
    return lower.time.ToNanoseconds() >= upper.time.ToNanoseconds()


def misbehaviour(client_id: str, header: Header, own: LightBlock, trusted: LightBlock) -> AnyMessage:
    """Build a Misbehaviour, packed for MsgUpdateClient.

    Args:
        client_id: the client to freeze.
        header: the header submitted to a client, with the validators that signed it.
        own: the conflicting block of the chain itself.
        trusted: the block one above a height at which client and chain agree, below both headers.
    """
    ours = Header(
        signed_header=signed_header(own), validator_set=validator_pb2.ValidatorSet.FromString(own.validators)
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
    """Return the height of a header, with the revision number of its chain id."""
    return Height(revision_of(header.signed_header.header.chain_id), _height(header))


def signed_header(block: LightBlock) -> types_pb2.SignedHeader:
    """Decode the signed header of a block."""
    return types_pb2.SignedHeader.FromString(block.signed_header)


def _height(header: Header) -> int:
    return int(header.signed_header.header.height)


def _header_at(tx: bytes, at: int) -> Header | None:
    try:
        size, start = read_varint(tx, at, min(at + _MAX_VARINT, len(tx)))
    except MalformedVarint:
        return None
    raw = tx[start : start + size]
    try:
        return Header.FromString(raw) if len(raw) == size else None
    except DecodeError:
        return None
