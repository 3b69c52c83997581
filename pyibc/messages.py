"""Messages of transactions as values, and how they are packed for one."""

from collections.abc import Callable
from typing import Any

from ibc_core.messages import AnyMessage
from ibc_core.messages_v2 import MsgSendPacket
from ibc_core.queue.messages import MsgQueueSend
from ibc_core.transfer.types import MsgTransfer
from ibc_core.wire.messages import packet_v2, queue, transfer
from ibc_relayer.encoding import RelayMessage, encode_message

__all__ = ["MsgQueueSend", "MsgSendPacket", "MsgTransfer", "UserMessage", "pack"]

UserMessage = MsgTransfer | MsgSendPacket | MsgQueueSend
"""What a user's account sends."""

_ENCODERS: dict[type, tuple[str, Callable[[Any], bytes]]] = {
    MsgTransfer: (transfer.TRANSFER, transfer.encode_transfer),
    MsgSendPacket: (packet_v2.SEND_PACKET, packet_v2.encode_send_packet),
    MsgQueueSend: (queue.SEND, queue.encode_send),
}


def pack(message: UserMessage | RelayMessage) -> AnyMessage:
    """The message as a transaction carries it: type URL, and protobuf in the bytes that Go would write."""
    if isinstance(message, UserMessage):
        type_url, encode = _ENCODERS[type(message)]
        return AnyMessage(type_url, encode(message))
    return encode_message(message)
