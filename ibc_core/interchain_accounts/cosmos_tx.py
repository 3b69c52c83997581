"""The transaction of a packet: messages, in the encoding that the channel's metadata names."""

from collections.abc import Callable, Sequence

import msgspec
from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.errors import InvalidType, TxDecode, UnsupportedEncoding
from ibc_core.interchain_accounts.metadata import ENCODINGS, PROTO3
from ibc_core.wire import exact_json
from ibc_core.wire.encoding import encode
from ibc_core.wire.gogo import read_cosmos_tx
from ibc_core.wire.protojson import to_json
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx


def read_messages(data: bytes, encoding: str, wire: Callable[[str], type[Message]]) -> list[AnyMessage]:
    """The messages, unread; `wire` gives the protobuf class of a type of messages, for those in JSON.

    Fields that a protobuf CosmosTx does not have are let through, as by Go.

    Raises:
        InvalidType: it is no transaction in this encoding.
        UnsupportedEncoding: there is no such encoding.
        IbcError: what `wire` raises.
    """
    if encoding not in ENCODINGS:
        raise UnsupportedEncoding(encoding)
    try:
        return read_cosmos_tx(data) if encoding == PROTO3 else exact_json.read_messages(data, wire)
    except TxDecode as error:
        raise InvalidType(f"a CosmosTx in {encoding}", str(error)) from error


def write_messages(messages: Sequence[AnyMessage], encoding: str) -> bytes:
    """The transaction of these messages.

    Raises:
        Unprintable: in JSON, a message is of an unknown type, or malformed.
        UnsupportedEncoding: there is no such encoding.
    """
    if encoding not in ENCODINGS:
        raise UnsupportedEncoding(encoding)
    packed = [any_pb2.Any(type_url=each.type_url, value=each.value) for each in messages]
    tx = CosmosTx(messages=packed)
    return encode(tx) if encoding == PROTO3 else msgspec.json.encode(to_json(tx))
