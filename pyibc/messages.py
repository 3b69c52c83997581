"""Transaction messages of ICS-2 to ICS-4, of IBC v2, and of the applications in this distribution."""

from pyibc.apps.gmp.messages import MsgSendCall as MsgSendCall
from pyibc.apps.interchain_accounts.messages import MsgModuleQuerySafe as MsgModuleQuerySafe
from pyibc.apps.interchain_accounts.messages import (
    MsgRegisterInterchainAccount as MsgRegisterInterchainAccount,
)
from pyibc.apps.interchain_accounts.messages import MsgSendTx as MsgSendTx
from pyibc.apps.interchain_accounts.messages import MsgUpdateControllerParams as MsgUpdateControllerParams
from pyibc.apps.interchain_accounts.messages import MsgUpdateHostParams as MsgUpdateHostParams
from pyibc.apps.interchain_accounts.messages import QueryRequest as QueryRequest
from pyibc.apps.rate_limit.messages import MsgAddRateLimit as MsgAddRateLimit
from pyibc.apps.rate_limit.messages import MsgRemoveRateLimit as MsgRemoveRateLimit
from pyibc.apps.rate_limit.messages import MsgResetRateLimit as MsgResetRateLimit
from pyibc.apps.rate_limit.messages import MsgUpdateRateLimit as MsgUpdateRateLimit
from pyibc.apps.transfer.messages import MsgTransfer as MsgTransfer
from pyibc.apps.transfer.messages import MsgUpdateTransferParams as MsgUpdateTransferParams
from pyibc.core.channel.messages import MsgChannelCloseConfirm as MsgChannelCloseConfirm
from pyibc.core.channel.messages import MsgChannelCloseInit as MsgChannelCloseInit
from pyibc.core.channel.messages import MsgChannelOpenAck as MsgChannelOpenAck
from pyibc.core.channel.messages import MsgChannelOpenConfirm as MsgChannelOpenConfirm
from pyibc.core.channel.messages import MsgChannelOpenInit as MsgChannelOpenInit
from pyibc.core.channel.messages import MsgChannelOpenTry as MsgChannelOpenTry
from pyibc.core.client.messages import MsgCreateClient as MsgCreateClient
from pyibc.core.client.messages import MsgDeleteClientCreator as MsgDeleteClientCreator
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade as MsgIbcSoftwareUpgrade
from pyibc.core.client.messages import MsgRecoverClient as MsgRecoverClient
from pyibc.core.client.messages import MsgUpdateClient as MsgUpdateClient
from pyibc.core.client.messages import MsgUpdateClientParams as MsgUpdateClientParams
from pyibc.core.client.messages import MsgUpgradeClient as MsgUpgradeClient
from pyibc.core.client_v2 import MsgRegisterCounterparty as MsgRegisterCounterparty
from pyibc.core.client_v2 import MsgUpdateClientConfig as MsgUpdateClientConfig
from pyibc.core.connection.messages import MsgConnectionOpenAck as MsgConnectionOpenAck
from pyibc.core.connection.messages import MsgConnectionOpenConfirm as MsgConnectionOpenConfirm
from pyibc.core.connection.messages import MsgConnectionOpenInit as MsgConnectionOpenInit
from pyibc.core.connection.messages import MsgConnectionOpenTry as MsgConnectionOpenTry
from pyibc.core.connection.messages import MsgUpdateConnectionParams as MsgUpdateConnectionParams
from pyibc.core.packet.messages import MsgAcknowledgement as MsgAcknowledgement
from pyibc.core.packet.messages import MsgRecvPacket as MsgRecvPacket
from pyibc.core.packet.messages import MsgTimeout as MsgTimeout
from pyibc.core.packet.messages import MsgTimeoutOnClose as MsgTimeoutOnClose
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2 as MsgAcknowledgementV2
from pyibc.core.packet_v2.messages import MsgRecvPacketV2 as MsgRecvPacketV2
from pyibc.core.packet_v2.messages import MsgSendPacket as MsgSendPacket
from pyibc.core.packet_v2.messages import MsgTimeoutV2 as MsgTimeoutV2
from pyibc.core.value import value as value
from pyibc.core.wire.columns import Signer as Signer
from pyibc.core.wire.message import Msg as Msg
from pyibc.core.wire.message import decode_msg as decode_msg
from pyibc.core.wire.message import message as message
from pyibc.core.wire.message import pack_msg as pack_msg
from pyibc.core.wire.message import route_of as route_of
from pyibc.direct.messages import MsgCleanupPacket as MsgCleanupPacket
