"""The only entry point: type URL -> decode, stateless checks, validate, execute, response."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from handlers.channel import close_confirm, close_init
from handlers.channel import open_ack as channel_ack
from handlers.channel import open_confirm as channel_confirm
from handlers.channel import open_init as channel_init
from handlers.channel import open_try as channel_try
from handlers.client import create, delete_creator, recover, software_upgrade, update, upgrade
from handlers.client import update_params as client_params
from handlers.client_v2 import register_counterparty, update_config
from handlers.connection import open_ack as connection_ack
from handlers.connection import open_confirm as connection_confirm
from handlers.connection import open_init as connection_init
from handlers.connection import open_try as connection_try
from handlers.connection import update_params as connection_params
from handlers.packet import acknowledge, recv, timeout, timeout_on_close
from handlers.packet_v2 import acknowledge as acknowledge_v2
from handlers.packet_v2 import recv as recv_v2
from handlers.packet_v2 import send as send_v2
from handlers.packet_v2 import timeout as timeout_v2
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.checking import HasAddresses
from ibc_core.client.create import MsgCreateClient
from ibc_core.client.delete_creator import MsgDeleteClientCreator
from ibc_core.client.recover import MsgRecoverClient
from ibc_core.client.software_upgrade import MsgIbcSoftwareUpgrade
from ibc_core.client.update import MsgSubmitMisbehaviour, MsgUpdateClient
from ibc_core.client.update_params import MsgUpdateClientParams
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.client_v2.update_config import MsgUpdateClientConfig
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.update_params import MsgUpdateConnectionParams
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.outcome import Outcome, Redundant
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.packet_v2.timeout import MsgTimeoutV2
from ibc_core.wire.message import Msg, route_of
from keepers.client.keeper import ClientKeeper
from keepers.keepers import Keepers


class AnyKeepers(HasAddresses, Protocol):
    """The keepers of a protocol."""

    @property
    def clients(self) -> ClientKeeper:
        """The chain's light clients, whose types may occur in its messages."""


_K = TypeVar("_K", bound=AnyKeepers)


class Handler(NamedTuple, Generic[_K]):
    """The handler of one message type."""

    validate: Callable[[_K, ReadContext, Any], Any]
    """Reads and verifies; returns `REDUNDANT` if nothing is left to do."""
    execute: Callable[[_K, WriteContext, Any], Any]
    """Writes what was verified; returns the response."""


HANDLERS: dict[type[Msg], Handler[Keepers]] = {
    MsgCreateClient: Handler(create.validate, create.execute),
    MsgUpdateClient: Handler(update.validate, update.execute),
    MsgSubmitMisbehaviour: Handler(update.validate, update.execute),
    MsgUpgradeClient: Handler(upgrade.validate, upgrade.execute),
    MsgRecoverClient: Handler(recover.validate, recover.execute),
    MsgUpdateClientParams: Handler(client_params.validate, client_params.execute),
    MsgDeleteClientCreator: Handler(delete_creator.validate, delete_creator.execute),
    MsgIbcSoftwareUpgrade: Handler(software_upgrade.validate, software_upgrade.execute),
    MsgConnectionOpenInit: Handler(connection_init.validate, connection_init.execute),
    MsgConnectionOpenTry: Handler(connection_try.validate, connection_try.execute),
    MsgConnectionOpenAck: Handler(connection_ack.validate, connection_ack.execute),
    MsgConnectionOpenConfirm: Handler(connection_confirm.validate, connection_confirm.execute),
    MsgUpdateConnectionParams: Handler(connection_params.validate, connection_params.execute),
    MsgChannelOpenInit: Handler(channel_init.validate, channel_init.execute),
    MsgChannelOpenTry: Handler(channel_try.validate, channel_try.execute),
    MsgChannelOpenAck: Handler(channel_ack.validate, channel_ack.execute),
    MsgChannelOpenConfirm: Handler(channel_confirm.validate, channel_confirm.execute),
    MsgChannelCloseInit: Handler(close_init.validate, close_init.execute),
    MsgChannelCloseConfirm: Handler(close_confirm.validate, close_confirm.execute),
    MsgRecvPacket: Handler(recv.validate, recv.execute),
    MsgAcknowledgement: Handler(acknowledge.validate, acknowledge.execute),
    MsgTimeout: Handler(timeout.validate, timeout.execute),
    MsgTimeoutOnClose: Handler(timeout_on_close.validate, timeout_on_close.execute),
    MsgRegisterCounterparty: Handler(register_counterparty.validate, register_counterparty.execute),
    MsgUpdateClientConfig: Handler(update_config.validate, update_config.execute),
    MsgSendPacket: Handler(send_v2.validate, send_v2.execute),
    MsgRecvPacketV2: Handler(recv_v2.validate, recv_v2.execute),
    MsgAcknowledgementV2: Handler(acknowledge_v2.validate, acknowledge_v2.execute),
    MsgTimeoutV2: Handler(timeout_v2.validate, timeout_v2.execute),
}
"""Every message this module handles."""


def routes(keepers: _K, handlers: Mapping[type[Msg], Handler[_K]]) -> Mapping[str, MessageRoute]:
    """The message routes of one chain, by type URL."""
    return {cls.TYPE_URL: _route(keepers, cls, handler) for cls, handler in handlers.items()}


def _route(keepers: _K, cls: type[Msg], handler: Handler[_K]) -> MessageRoute:
    validate, execute = handler
    respond = cls.RESPONSE.encode

    def deliver(ctx: WriteContext, msg: Any) -> bytes:
        verified = validate(keepers, ctx, msg)
        if isinstance(verified, Redundant):
            return respond(Outcome.NOOP)
        return respond(execute(keepers, ctx, verified))

    return route_of(cls, keepers, deliver, keepers.clients.registry.known)
