"""Payload of a call to a Cosmos chain: `CosmosTx` in protobuf, or in protojson as built in Solidity."""

from collections.abc import Iterable

from pyibc.codec import exact_json
from pyibc.codec import gogoproto as gogo
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.application.services import Messages
from pyibc.core.errors import InvalidType, TxDecode, UnknownMessage
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.applications.gmp.v1.account_pb2 import CosmosTx


def cosmos_tx(messages: Iterable[AnyMessage]) -> bytes:
    """Encode a `CosmosTx` in protobuf: messages for the sender's account to execute atomically."""
    packed = [Any(type_url=each.type_url, value=each.value) for each in messages]
    return encode(CosmosTx(messages=packed))


def read_messages(payload: bytes, messages: Messages) -> list[AnyMessage]:
    """Decode a payload to packed messages; unknown fields of a `CosmosTx` in protobuf are ignored.

    Raises:
        InvalidType: it is neither protobuf nor protojson.
    """
    try:
        return gogo.read_cosmos_tx(payload)
    except TxDecode:
        return _from_json(payload, messages)


def _from_json(payload: bytes, messages: Messages) -> list[AnyMessage]:
    try:
        return exact_json.read_messages(payload, messages.wire)
    except (TxDecode, UnknownMessage) as error:
        raise InvalidType("a CosmosTx in protobuf or protojson", str(error)) from error
