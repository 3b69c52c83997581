"""The messages of a call: a `CosmosTx` in protobuf, or else in protojson, as Solidity writes it."""

from google.protobuf.message import DecodeError

from ibc_core.any_message import AnyMessage
from ibc_core.errors import InvalidType, TxDecode
from ibc_core.wire.exact_json import read_exactly
from ibc_proto.ibc.applications.gmp.v1.account_pb2 import CosmosTx


def read_messages(payload: bytes) -> list[AnyMessage]:
    """The messages, unread. Fields that a `CosmosTx` in protobuf does not have are let through.

    Raises:
        InvalidType: it is neither.
    """
    try:
        found = CosmosTx.FromString(payload)
    except DecodeError:
        found = _from_json(payload)
    return [AnyMessage(each.type_url, each.value) for each in found.messages]


def _from_json(payload: bytes) -> CosmosTx:
    try:
        return read_exactly(CosmosTx, payload)
    except TxDecode as error:
        raise InvalidType("a CosmosTx in protobuf or protojson", str(error)) from error
