"""Messages of transactions: each of ICS-2 to ICS-4, of IBC v2 and of the applications here."""

from ibc_core.channel.close_confirm import MsgChannelCloseConfirm as MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit as MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck as MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm as MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit as MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry as MsgChannelOpenTry
from ibc_core.client.create import MsgCreateClient as MsgCreateClient
from ibc_core.client.delete_creator import MsgDeleteClientCreator as MsgDeleteClientCreator
from ibc_core.client.recover import MsgRecoverClient as MsgRecoverClient
from ibc_core.client.software_upgrade import MsgIbcSoftwareUpgrade as MsgIbcSoftwareUpgrade
from ibc_core.client.update import MsgUpdateClient as MsgUpdateClient
from ibc_core.client.update_params import MsgUpdateClientParams as MsgUpdateClientParams
from ibc_core.client.upgrade import MsgUpgradeClient as MsgUpgradeClient
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty as MsgRegisterCounterparty
from ibc_core.client_v2.update_config import MsgUpdateClientConfig as MsgUpdateClientConfig
from ibc_core.connection.open_ack import MsgConnectionOpenAck as MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm as MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit as MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry as MsgConnectionOpenTry
from ibc_core.connection.update_params import MsgUpdateConnectionParams as MsgUpdateConnectionParams
from ibc_core.gmp.msg_send_call import MsgSendCall as MsgSendCall
from ibc_core.interchain_accounts.msg_module_query_safe import MsgModuleQuerySafe as MsgModuleQuerySafe
from ibc_core.interchain_accounts.msg_module_query_safe import QueryRequest as QueryRequest
from ibc_core.interchain_accounts.msg_register import (
    MsgRegisterInterchainAccount as MsgRegisterInterchainAccount,
)
from ibc_core.interchain_accounts.msg_send_tx import MsgSendTx as MsgSendTx
from ibc_core.interchain_accounts.msg_update_controller_params import (
    MsgUpdateControllerParams as MsgUpdateControllerParams,
)
from ibc_core.interchain_accounts.msg_update_host_params import MsgUpdateHostParams as MsgUpdateHostParams
from ibc_core.packet.acknowledge import MsgAcknowledgement as MsgAcknowledgement
from ibc_core.packet.cleanup import MsgCleanupPacket as MsgCleanupPacket
from ibc_core.packet.recv import MsgRecvPacket as MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout as MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose as MsgTimeoutOnClose
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2 as MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2 as MsgRecvPacketV2
from ibc_core.packet_v2.send import MsgSendPacket as MsgSendPacket
from ibc_core.packet_v2.timeout import MsgTimeoutV2 as MsgTimeoutV2
from ibc_core.rate_limit.msg_add_rate_limit import MsgAddRateLimit as MsgAddRateLimit
from ibc_core.rate_limit.msg_remove_rate_limit import MsgRemoveRateLimit as MsgRemoveRateLimit
from ibc_core.rate_limit.msg_reset_rate_limit import MsgResetRateLimit as MsgResetRateLimit
from ibc_core.rate_limit.msg_update_rate_limit import MsgUpdateRateLimit as MsgUpdateRateLimit
from ibc_core.transfer.msg_transfer import MsgTransfer as MsgTransfer
from ibc_core.transfer.msg_update_params import MsgUpdateTransferParams as MsgUpdateTransferParams
from ibc_core.value import value as value
from ibc_core.wire.columns import Signer as Signer
from ibc_core.wire.message import Msg as Msg
from ibc_core.wire.message import decode_msg as decode_msg
from ibc_core.wire.message import message as message
from ibc_core.wire.message import pack_msg as pack_msg
from ibc_core.wire.message import route_of as route_of
