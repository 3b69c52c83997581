"""Any message of this module to the Any of a transaction."""

from typing import Any

from ibc_module.core.messages import AnyMessage, MsgChannelCloseInit
from ibc_module.core.transfer import MsgTransfer
from ibc_module.relayer.encoding import encode_message
from ibc_module.wire.messages.channel import CLOSE_INIT, encode_close_init
from ibc_module.wire.messages.transfer import TRANSFER, encode_transfer


def to_any(message: Any) -> AnyMessage:
    """The Any of a message value; an Any stays as it is."""
    if isinstance(message, AnyMessage):
        return message
    if isinstance(message, MsgTransfer):
        return AnyMessage(TRANSFER, encode_transfer(message))
    if isinstance(message, MsgChannelCloseInit):
        return AnyMessage(CLOSE_INIT, encode_close_init(message))
    return encode_message(message)
