"""The transaction of a packet: messages, in the encoding that the channel's metadata names."""

from collections.abc import Sequence

import msgspec
from google.protobuf.message import DecodeError

from ibc_core.any_message import AnyMessage
from ibc_core.errors import InvalidType, TxDecode, UnsupportedEncoding
from ibc_core.interchain_accounts.metadata import PROTO3, PROTO3_JSON
from ibc_core.wire.encoding import encode
from ibc_core.wire.exact_json import read_exactly
from ibc_core.wire.protojson import to_json
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx


def read_messages(data: bytes, encoding: str) -> list[AnyMessage]:
    """The messages, unread: fields that a protobuf CosmosTx does not have are let through, as by Go.

    Raises:
        InvalidType: it is no transaction in this encoding.
        UnsupportedEncoding: there is no such encoding.
    """
    if encoding == PROTO3:
        found = _from_protobuf(data)
    elif encoding == PROTO3_JSON:
        found = _from_json(data)
    else:
        raise UnsupportedEncoding(encoding)
    return [AnyMessage(each.type_url, each.value) for each in found.messages]


def _from_protobuf(data: bytes) -> CosmosTx:
    try:
        return CosmosTx.FromString(data)
    except DecodeError as error:
        raise InvalidType("a CosmosTx in protobuf", "malformed bytes") from error


def _from_json(data: bytes) -> CosmosTx:
    try:
        return read_exactly(CosmosTx, data)
    except TxDecode as error:
        raise InvalidType("a CosmosTx in proto3 JSON", str(error)) from error


def write_messages(messages: Sequence[AnyMessage], encoding: str) -> bytes:
    """The transaction of these messages.

    Raises:
        Unprintable: in JSON, a message is of an unknown type, or malformed.
        UnsupportedEncoding: there is no such encoding.
    """
    if encoding not in {PROTO3, PROTO3_JSON}:
        raise UnsupportedEncoding(encoding)
    packed = [any_pb2.Any(type_url=each.type_url, value=each.value) for each in messages]
    tx = CosmosTx(messages=packed)
    return encode(tx) if encoding == PROTO3 else msgspec.json.encode(to_json(tx))
