"""Any message of this module to the Any of a transaction."""

from ibc_core.any_message import AnyMessage
from ibc_core.wire.message import Msg, pack_msg


def to_any(message: AnyMessage | Msg) -> AnyMessage:
    """The Any of a message value; an Any stays as it is."""
    return message if isinstance(message, AnyMessage) else pack_msg(message)
