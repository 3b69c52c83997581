"""The calls of gRPC's service `tendermint.abci.ABCI`, and how gRPC writes messages and outcomes.

github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.
"""

import struct
from enum import IntEnum
from urllib.parse import quote

from google.protobuf.message import DecodeError

from abci_server.errors import BadRequest, UnknownRequest
from abci_server.grpc.errors import BadMessage
from abci_server.methods import METHODS
from ibc_proto.tendermint.abci import types_pb2 as pb

PREFIX = 5
"""Bytes before a message: whether it is compressed, and its length."""
_PREFIX = struct.Struct(">BL")
_TEXT_LIMIT = 1_000


class Status(IntEnum):
    """The outcomes that we give (google.rpc.Code)."""

    OK = 0
    INVALID_ARGUMENT = 3
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    UNIMPLEMENTED = 12
    INTERNAL = 13


def _kinds() -> dict[bytes, str]:
    found = {}
    for name in METHODS:
        message_type = pb.Request.DESCRIPTOR.fields_by_name[name].message_type
        if message_type is not None:
            found[f"/tendermint.abci.ABCI/{message_type.name.removeprefix('Request')}".encode()] = name
    return found


KINDS = _kinds()
"""Names of methods, as Request's oneof has them, by their paths."""


def request(path: bytes, body: bytes | bytearray) -> pb.Request:
    """The request that a call makes.

    Raises:
        UnknownRequest: the service has no such method.
        BadMessage: the body is not one message without compression.
        BadRequest: the message does not decode.
    """
    kind = KINDS.get(path)
    if kind is None:
        raise UnknownRequest
    if len(body) < PREFIX or _PREFIX.unpack_from(body) != (0, len(body) - PREFIX):
        raise BadMessage
    made = pb.Request()
    part = getattr(made, kind)
    try:
        part.MergeFromString(bytes(memoryview(body)[PREFIX:]))
    except DecodeError as error:
        raise BadRequest from error
    part.SetInParent()
    return made


def message(raw: bytes) -> bytes:
    """A message as the body of an answer."""
    return _PREFIX.pack(0, len(raw)) + raw


HEAD = ((b":status", b"200"), (b"content-type", b"application/grpc"))
"""The headers of an answer."""
GOOD = ((b"grpc-status", b"0"),)
"""The trailers of an answer."""


def refusal(status: Status, text: str) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of an answer that is a refusal alone."""
    told = quote(text[:_TEXT_LIMIT].encode(errors="replace"), safe=" !\"#$&'()*+,/:;<=>?@[]^`{|}")
    return (*HEAD, (b"grpc-status", b"%d" % status), (b"grpc-message", told.encode()))
