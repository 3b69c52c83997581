"""Message values to the Anys of a transaction."""

from collections.abc import Callable
from typing import Any

from ibc_core import messages as core
from ibc_core import messages_v2 as v2
from ibc_core.messages import AnyMessage
from ibc_core.queue import messages as queues
from ibc_core.wire.messages import channel, client, client_v2, connection, packet, packet_v2, queue

_ENCODERS: dict[type, tuple[str, Callable[[Any], bytes]]] = {
    core.MsgCreateClient: (client.CREATE, client.encode_create),
    core.MsgUpdateClient: (client.UPDATE, client.encode_update),
    core.MsgConnectionOpenInit: (connection.OPEN_INIT, connection.encode_open_init),
    core.MsgConnectionOpenTry: (connection.OPEN_TRY, connection.encode_open_try),
    core.MsgConnectionOpenAck: (connection.OPEN_ACK, connection.encode_open_ack),
    core.MsgConnectionOpenConfirm: (connection.OPEN_CONFIRM, connection.encode_open_confirm),
    core.MsgChannelOpenInit: (channel.OPEN_INIT, channel.encode_open_init),
    core.MsgChannelOpenTry: (channel.OPEN_TRY, channel.encode_open_try),
    core.MsgChannelOpenAck: (channel.OPEN_ACK, channel.encode_open_ack),
    core.MsgChannelOpenConfirm: (channel.OPEN_CONFIRM, channel.encode_open_confirm),
    core.MsgChannelCloseConfirm: (channel.CLOSE_CONFIRM, channel.encode_close_confirm),
    core.MsgRecvPacket: (packet.RECV_PACKET, packet.encode_recv_packet),
    core.MsgAcknowledgement: (packet.ACKNOWLEDGEMENT, packet.encode_acknowledgement),
    core.MsgTimeout: (packet.TIMEOUT, packet.encode_timeout),
    core.MsgTimeoutOnClose: (packet.TIMEOUT_ON_CLOSE, packet.encode_timeout_on_close),
    v2.MsgRegisterCounterparty: (
        client_v2.REGISTER_COUNTERPARTY,
        client_v2.encode_register_counterparty,
    ),
    v2.MsgRecvPacketV2: (packet_v2.RECV_PACKET, packet_v2.encode_recv_packet),
    v2.MsgAcknowledgementV2: (packet_v2.ACKNOWLEDGEMENT, packet_v2.encode_acknowledgement),
    v2.MsgTimeoutV2: (packet_v2.TIMEOUT, packet_v2.encode_timeout),
    queues.MsgRegister: (queue.REGISTER, queue.encode_register),
    queues.MsgReceive: (queue.RECEIVE, queue.encode_receive),
    queues.MsgHandleReceipt: (queue.HANDLE_RECEIPT, queue.encode_handle_receipt),
    queues.MsgQueueTimeout: (queue.TIMEOUT, queue.encode_timeout),
    queues.MsgAdvance: (queue.ADVANCE, queue.encode_advance),
}

RelayMessage = (
    core.MsgCreateClient
    | core.MsgUpdateClient
    | core.MsgConnectionOpenInit
    | core.MsgConnectionOpenTry
    | core.MsgConnectionOpenAck
    | core.MsgConnectionOpenConfirm
    | core.MsgChannelOpenInit
    | core.MsgChannelOpenTry
    | core.MsgChannelOpenAck
    | core.MsgChannelOpenConfirm
    | core.MsgChannelCloseConfirm
    | core.MsgRecvPacket
    | core.MsgAcknowledgement
    | core.MsgTimeout
    | core.MsgTimeoutOnClose
    | v2.MsgRegisterCounterparty
    | v2.MsgRecvPacketV2
    | v2.MsgAcknowledgementV2
    | v2.MsgTimeoutV2
    | queues.MsgRegister
    | queues.MsgReceive
    | queues.MsgHandleReceipt
    | queues.MsgQueueTimeout
    | queues.MsgAdvance
)
"""What a relayer sends."""


def encode_message(message: RelayMessage) -> AnyMessage:
    """The Any of `message`, in the bytes that Go would write."""
    type_url, encode = _ENCODERS[type(message)]
    return AnyMessage(type_url, encode(message))
