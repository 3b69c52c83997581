"""Any message of this module to the Any of a transaction."""

from collections.abc import Callable
from typing import Any

from ibc_module.core import messages as core
from ibc_module.core import queue_messages
from ibc_module.core.messages import AnyMessage
from ibc_module.core.transfer import MsgTransfer
from ibc_module.relayer.encoding import encode_message
from ibc_module.wire.messages import channel, client, connection, queue, transfer, upgrade

_NOT_RELAYED: dict[type, tuple[str, Callable[[Any], bytes]]] = {
    MsgTransfer: (transfer.TRANSFER, transfer.encode_transfer),
    core.MsgChannelCloseInit: (channel.CLOSE_INIT, channel.encode_close_init),
    core.MsgUpgradeClient: (client.UPGRADE, client.encode_upgrade),
    core.MsgRecoverClient: (client.RECOVER, client.encode_recover),
    core.MsgUpdateClientParams: (client.UPDATE_PARAMS, client.encode_update_params),
    core.MsgDeleteClientCreator: (client.DELETE_CREATOR, client.encode_delete_creator),
    core.MsgUpdateConnectionParams: (connection.UPDATE_PARAMS, connection.encode_update_params),
    core.MsgIbcSoftwareUpgrade: (upgrade.SOFTWARE_UPGRADE, upgrade.encode_software_upgrade),
    queue_messages.MsgRegister: (queue.REGISTER, queue.encode_register),
    queue_messages.MsgQueueSend: (queue.SEND, queue.encode_send),
    queue_messages.MsgReceive: (queue.RECEIVE, queue.encode_receive),
    queue_messages.MsgHandleReceipt: (queue.HANDLE_RECEIPT, queue.encode_handle_receipt),
    queue_messages.MsgQueueTimeout: (queue.TIMEOUT, queue.encode_timeout),
    queue_messages.MsgAdvance: (queue.ADVANCE, queue.encode_advance),
}


def to_any(message: Any) -> AnyMessage:
    """The Any of a message value; an Any stays as it is."""
    if isinstance(message, AnyMessage):
        return message
    if type(message) in _NOT_RELAYED:
        type_url, encode = _NOT_RELAYED[type(message)]
        return AnyMessage(type_url, encode(message))
    return encode_message(message)
