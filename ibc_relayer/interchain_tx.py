"""Writes what an interchain account is to execute (ICS-27): for users; the host reads it with Go's rules."""

import json
from collections.abc import Sequence

from ibc_core.any_message import AnyMessage
from ibc_core.errors import UnsupportedEncoding
from ibc_core.interchain_accounts.metadata import ENCODINGS, PROTO3
from ibc_core.wire.encoding import encode
from ibc_core.wire.protojson import to_json
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx


def write_messages(messages: Sequence[AnyMessage], encoding: str) -> bytes:
    """The transaction of these messages.

    Raises:
        Unprintable: in JSON, a message is of an unknown type, or malformed.
        UnsupportedEncoding: there is no such encoding.
    """
    if encoding not in ENCODINGS:
        raise UnsupportedEncoding(encoding)
    tx = CosmosTx(messages=[any_pb2.Any(type_url=each.type_url, value=each.value) for each in messages])
    return encode(tx) if encoding == PROTO3 else json.dumps(to_json(tx)).encode()
