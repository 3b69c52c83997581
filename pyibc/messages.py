"""Messages of transactions: each of ICS-2 to ICS-4, of IBC v2, of queues and of the applications here."""

from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.client.create import MsgCreateClient
from ibc_core.client.delete_creator import MsgDeleteClientCreator
from ibc_core.client.recover import MsgRecoverClient
from ibc_core.client.software_upgrade import MsgIbcSoftwareUpgrade
from ibc_core.client.update import MsgUpdateClient
from ibc_core.client.update_params import MsgUpdateClientParams
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.client_v2.update_config import MsgUpdateClientConfig
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.update_params import MsgUpdateConnectionParams
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.packet_v2.timeout import MsgTimeoutV2
from ibc_core.queue.advance import MsgAdvance
from ibc_core.queue.handle_receipt import MsgHandleReceipt
from ibc_core.queue.receive import MsgReceive
from ibc_core.queue.register import MsgRegister
from ibc_core.queue.send import MsgQueueSend
from ibc_core.queue.timeout import MsgQueueTimeout
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.transfer.msg_update_params import MsgUpdateTransferParams
from ibc_core.wire.message import Msg, decode_msg, message, pack_msg, route_of
from ibc_module.apps.rate_limit.messages import MsgRemoveRateLimit, MsgSetRateLimit

__all__ = [
    "Msg",
    "MsgAcknowledgement",
    "MsgAcknowledgementV2",
    "MsgAdvance",
    "MsgChannelCloseConfirm",
    "MsgChannelCloseInit",
    "MsgChannelOpenAck",
    "MsgChannelOpenConfirm",
    "MsgChannelOpenInit",
    "MsgChannelOpenTry",
    "MsgCleanupPacket",
    "MsgConnectionOpenAck",
    "MsgConnectionOpenConfirm",
    "MsgConnectionOpenInit",
    "MsgConnectionOpenTry",
    "MsgCreateClient",
    "MsgDeleteClientCreator",
    "MsgHandleReceipt",
    "MsgIbcSoftwareUpgrade",
    "MsgQueueSend",
    "MsgQueueTimeout",
    "MsgReceive",
    "MsgRecoverClient",
    "MsgRecvPacket",
    "MsgRecvPacketV2",
    "MsgRegister",
    "MsgRegisterCounterparty",
    "MsgRemoveRateLimit",
    "MsgSendPacket",
    "MsgSetRateLimit",
    "MsgTimeout",
    "MsgTimeoutOnClose",
    "MsgTimeoutV2",
    "MsgTransfer",
    "MsgUpdateClient",
    "MsgUpdateClientConfig",
    "MsgUpdateClientParams",
    "MsgUpdateConnectionParams",
    "MsgUpdateTransferParams",
    "MsgUpgradeClient",
    "decode_msg",
    "message",
    "pack_msg",
    "route_of",
]
