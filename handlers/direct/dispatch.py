"""Messages of ICS-4's first text -> today's handlers; a chain that does not ask for them has none of them."""

from collections.abc import Callable
from typing import Any

from handlers.channel import close_confirm, close_init
from handlers.channel import open_ack as channel_ack
from handlers.channel import open_confirm as channel_confirm
from handlers.channel import open_init as channel_init
from handlers.channel import open_try as channel_try
from handlers.connection import open_ack as connection_ack
from handlers.connection import open_confirm as connection_confirm
from handlers.connection import open_init as connection_init
from handlers.connection import open_try as connection_try
from handlers.dispatch import Handler, basic, empty, spread
from handlers.packet import cleanup, timeout
from ibc_core import basic_checks as today
from ibc_core.channel.types import BOTH_STARTED
from ibc_core.direct import basic_checks as checks
from ibc_core.host.context import ReadContext
from ibc_core.messages import MsgChannelOpenAck
from ibc_core.wire.messages import channel_direct as channel
from ibc_core.wire.messages import connection_direct as connection
from ibc_core.wire.messages import responses
from keepers.keepers import Keepers


def _ack(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenAck) -> channel_ack.VerifiedOpenAck:
    return channel_ack.validate(keepers, ctx, msg, BOTH_STARTED)


def _step(decode: Callable[[bytes], Any], check: Callable[..., None], module: Any) -> Handler[Keepers]:
    """A message whose handler answers nothing."""
    return Handler(decode, basic(check), module.validate, module.execute, empty)


HANDLERS_DIRECT: dict[str, Handler[Keepers]] = {
    connection.OPEN_INIT: _step(connection.decode_open_init, checks.connection_open_init, connection_init),
    connection.OPEN_TRY: _step(connection.decode_open_try, today.connection_open_try, connection_try),
    connection.OPEN_ACK: _step(connection.decode_open_ack, checks.connection_open_ack, connection_ack),
    connection.OPEN_CONFIRM: _step(
        connection.decode_open_confirm, checks.connection_open_confirm, connection_confirm
    ),
    channel.OPEN_INIT: Handler(
        channel.decode_open_init,
        basic(checks.channel_open_init),
        channel_init.validate,
        channel_init.execute,
        spread(responses.channel_open_init_response),
    ),
    channel.OPEN_TRY: Handler(
        channel.decode_open_try,
        basic(today.channel_open_try),
        channel_try.validate,
        channel_try.execute,
        spread(responses.channel_open_try_response),
    ),
    channel.OPEN_ACK: Handler(
        channel.decode_open_ack, basic(checks.channel_open_ack), _ack, channel_ack.execute, empty
    ),
    channel.OPEN_CONFIRM: _step(channel.decode_open_confirm, checks.channel_open_confirm, channel_confirm),
    channel.CLOSE_INIT: _step(channel.decode_close_init, checks.channel_close_init, close_init),
    channel.CLOSE_CONFIRM: _step(channel.decode_close_confirm, checks.channel_close_confirm, close_confirm),
    channel.TIMEOUT: Handler(
        channel.decode_timeout,
        basic(checks.timeout),
        timeout.validate,
        timeout.execute,
        responses.packet_response,
    ),
    channel.CLEANUP_PACKET: Handler(
        channel.decode_cleanup_packet,
        basic(checks.cleanup_packet),
        cleanup.validate,
        cleanup.execute,
        responses.packet_response,
    ),
}
"""Every message of the packages `pyibc.connection.v1` and `pyibc.channel.v1`."""
