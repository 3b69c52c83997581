"""Routes the messages of ICS-4's first version to the standard handlers; only with DirectPlugin."""

from handlers.channel import close_confirm, close_init
from handlers.channel import open_ack as channel_ack
from handlers.channel import open_confirm as channel_confirm
from handlers.channel import open_init as channel_init
from handlers.channel import open_try as channel_try
from handlers.connection import open_ack as connection_ack
from handlers.connection import open_confirm as connection_confirm
from handlers.connection import open_init as connection_init
from handlers.connection import open_try as connection_try
from handlers.dispatch import Handler
from handlers.packet import cleanup, timeout
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.types import BOTH_STARTED
from ibc_core.direct.channel_messages import (
    MsgNamedChannelCloseConfirm,
    MsgNamedChannelCloseInit,
    MsgNamedChannelOpenAck,
    MsgNamedChannelOpenConfirm,
    MsgNamedChannelOpenInit,
    MsgNamedChannelOpenTry,
    MsgNamedTimeout,
)
from ibc_core.direct.connection_messages import (
    MsgNamedConnectionOpenAck,
    MsgNamedConnectionOpenConfirm,
    MsgNamedConnectionOpenInit,
    MsgNamedConnectionOpenTry,
)
from ibc_core.host.context import ReadContext
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.wire.message import Msg
from keepers.keepers import Keepers


def _ack(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenAck) -> channel_ack.VerifiedOpenAck:
    return channel_ack.validate(keepers, ctx, msg, BOTH_STARTED)


HANDLERS_DIRECT: dict[type[Msg], Handler[Keepers]] = {
    MsgNamedConnectionOpenInit: Handler(connection_init.validate, connection_init.execute),
    MsgNamedConnectionOpenTry: Handler(connection_try.validate, connection_try.execute),
    MsgNamedConnectionOpenAck: Handler(connection_ack.validate, connection_ack.execute),
    MsgNamedConnectionOpenConfirm: Handler(connection_confirm.validate, connection_confirm.execute),
    MsgNamedChannelOpenInit: Handler(channel_init.validate, channel_init.execute),
    MsgNamedChannelOpenTry: Handler(channel_try.validate, channel_try.execute),
    MsgNamedChannelOpenAck: Handler(_ack, channel_ack.execute),
    MsgNamedChannelOpenConfirm: Handler(channel_confirm.validate, channel_confirm.execute),
    MsgNamedChannelCloseInit: Handler(close_init.validate, close_init.execute),
    MsgNamedChannelCloseConfirm: Handler(close_confirm.validate, close_confirm.execute),
    MsgNamedTimeout: Handler(timeout.validate, timeout.execute),
    MsgCleanupPacket: Handler(cleanup.validate, cleanup.execute),
}
"""Every message of the packages `pyibc.connection.v1` and `pyibc.channel.v1`."""
