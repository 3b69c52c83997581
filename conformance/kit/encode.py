"""Packing of any message of the IBC module as Any."""

from pyibc.codec.anys import AnyMessage
from pyibc.core.wire.message import Msg, pack_msg


def to_any(message: AnyMessage | Msg) -> AnyMessage:
    """Return the Any of a message; an Any is returned unchanged."""
    return message if isinstance(message, AnyMessage) else pack_msg(message)
