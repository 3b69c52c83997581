"""Encodes any message of the IBC module as Any."""

from ibc_core.any_message import AnyMessage
from ibc_core.wire.message import Msg, pack_msg


def to_any(message: AnyMessage | Msg) -> AnyMessage:
    """The Any of a message; an Any is returned unchanged."""
    return message if isinstance(message, AnyMessage) else pack_msg(message)
