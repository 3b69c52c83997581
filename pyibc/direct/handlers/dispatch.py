"""Handlers of the messages of ICS-4's first text; only with DirectPlugin."""

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
from handlers.packet import timeout
from keepers.keepers import Keepers
from pyibc.core.channel.messages import MsgChannelOpenAck
from pyibc.core.channel.types import BOTH_STARTED
from pyibc.core.host.context import ReadContext
from pyibc.core.wire.message import Msg
from pyibc.direct.handlers import cleanup
from pyibc.direct.messages import (
    MsgCleanupPacket,
    MsgNamedChannelCloseConfirm,
    MsgNamedChannelCloseInit,
    MsgNamedChannelOpenAck,
    MsgNamedChannelOpenConfirm,
    MsgNamedChannelOpenInit,
    MsgNamedChannelOpenTry,
    MsgNamedConnectionOpenAck,
    MsgNamedConnectionOpenConfirm,
    MsgNamedConnectionOpenInit,
    MsgNamedConnectionOpenTry,
    MsgNamedTimeout,
)


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
"""Handler of every message of the packages `pyibc.connection.v1` and `pyibc.channel.v1`."""
