"""Encoding of transactions that an interchain account executes (ICS-27), for users."""

import json
from collections.abc import Sequence

from pyibc.apps.interchain_accounts.packet_data import ENCODINGS, PROTO3
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.codec.protojson import to_json
from pyibc.core.errors import UnsupportedEncoding
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx


def write_messages(messages: Sequence[AnyMessage], encoding: str) -> bytes:
    """Return the transaction of these messages in an encoding of ICS-27.

    Raises:
        Unprintable: in JSON, a message has an unknown type, or is malformed.
        UnsupportedEncoding: there is no such encoding.
    """
    if encoding not in ENCODINGS:
        raise UnsupportedEncoding(encoding)
    tx = CosmosTx(messages=[any_pb2.Any(type_url=each.type_url, value=each.value) for each in messages])
    return encode(tx) if encoding == PROTO3 else json.dumps(to_json(tx)).encode()
