"""The messages of a call: a `CosmosTx` in protobuf, or else in protojson, as Solidity writes it."""

from ibc_core.any_message import AnyMessage
from ibc_core.application.services import Messages
from ibc_core.errors import InvalidType, TxDecode, UnknownMessage
from ibc_core.wire import exact_json, gogo


def read_messages(payload: bytes, messages: Messages) -> list[AnyMessage]:
    """The messages, unread. Fields that a `CosmosTx` in protobuf does not have are let through.

    Raises:
        InvalidType: it is neither.
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
