"""Encodes any message of the IBC module as Any."""

from collections.abc import Callable
from typing import Any

from ibc_core import messages as core
from ibc_core import messages_v2 as v2
from ibc_core.messages import AnyMessage
from ibc_core.queue import messages as queue_messages
from ibc_core.transfer.types import MsgTransfer
from ibc_core.wire.messages import channel, client, client_v2, connection, packet_v2, queue, transfer, upgrade
from ibc_relayer.encoding import encode_message

_NOT_RELAYED: dict[type, tuple[str, Callable[[Any], bytes]]] = {
    MsgTransfer: (transfer.TRANSFER, transfer.encode_transfer),
    core.MsgChannelCloseInit: (channel.CLOSE_INIT, channel.encode_close_init),
    core.MsgUpgradeClient: (client.UPGRADE, client.encode_upgrade),
    core.MsgRecoverClient: (client.RECOVER, client.encode_recover),
    core.MsgUpdateClientParams: (client.UPDATE_PARAMS, client.encode_update_params),
    core.MsgDeleteClientCreator: (client.DELETE_CREATOR, client.encode_delete_creator),
    core.MsgUpdateConnectionParams: (connection.UPDATE_PARAMS, connection.encode_update_params),
    core.MsgIbcSoftwareUpgrade: (upgrade.SOFTWARE_UPGRADE, upgrade.encode_software_upgrade),
    v2.MsgRegisterCounterparty: (client_v2.REGISTER_COUNTERPARTY, client_v2.encode_register_counterparty),
    v2.MsgUpdateClientConfig: (client_v2.UPDATE_CONFIG, client_v2.encode_update_config),
    v2.MsgSendPacket: (packet_v2.SEND_PACKET, packet_v2.encode_send_packet),
    v2.MsgRecvPacketV2: (packet_v2.RECV_PACKET, packet_v2.encode_recv_packet),
    v2.MsgAcknowledgementV2: (packet_v2.ACKNOWLEDGEMENT, packet_v2.encode_acknowledgement),
    v2.MsgTimeoutV2: (packet_v2.TIMEOUT, packet_v2.encode_timeout),
    queue_messages.MsgRegister: (queue.REGISTER, queue.encode_register),
    queue_messages.MsgQueueSend: (queue.SEND, queue.encode_send),
    queue_messages.MsgReceive: (queue.RECEIVE, queue.encode_receive),
    queue_messages.MsgHandleReceipt: (queue.HANDLE_RECEIPT, queue.encode_handle_receipt),
    queue_messages.MsgQueueTimeout: (queue.TIMEOUT, queue.encode_timeout),
    queue_messages.MsgAdvance: (queue.ADVANCE, queue.encode_advance),
}


def to_any(message: Any) -> AnyMessage:
    """The Any of a message; an Any is returned unchanged."""
    if isinstance(message, AnyMessage):
        return message
    if type(message) in _NOT_RELAYED:
        type_url, encode = _NOT_RELAYED[type(message)]
        return AnyMessage(type_url, encode(message))
    return encode_message(message)
