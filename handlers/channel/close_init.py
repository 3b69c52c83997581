"""Handler of MsgChannelCloseInit: close a channel end (ICS-4 chanCloseInit)."""

from typing import NamedTuple

from handlers.channel.connection import state_after
from keepers.keepers import Keepers
from pyibc.core.application.classic import BoundApp, Closing
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.messages import MsgChannelCloseInit
from pyibc.core.channel.types import ChannelEnd
from pyibc.core.host.context import ReadContext, WriteContext


class RoutedCloseInit(NamedTuple):
    """A close, before the application's callback."""

    port_id: str
    channel_id: str
    app: BoundApp


class VerifiedCloseInit(NamedTuple):
    """A channel end that may be closed."""

    port_id: str
    channel_id: str
    end: ChannelEnd  # to be written


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelCloseInit) -> RoutedCloseInit:  # noqa: ARG001
    """Look up the application, before any other check.

    Raises:
        InvalidRoute: no application is bound to the port.
    """
    return RoutedCloseInit(msg.port_id, msg.channel_id, keepers.ports.route(msg.port_id))


def validate_close(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> VerifiedCloseInit:
    """Check that the end is not CLOSED and that its connection is usable.

    Raises:
        ChannelNotFound, InvalidChannelState, ConnectionNotFound, ClientNotActive, InvalidConnectionState.
    """
    # CHANNEL
    end = keepers.channels.get(ctx, port_id, channel_id)
    state = state_after(end, port_id, channel_id, "close_init")
    connection = keepers.connections.get(ctx, end.connection_id)
    keepers.clients.require_active(ctx, connection.client_id)
    keepers.connections.get_open(ctx, end.connection_id)
    return VerifiedCloseInit(port_id, channel_id, end.in_state(state))


def execute(keepers: Keepers, ctx: WriteContext, routed: RoutedCloseInit) -> None:
    """Call the application, then close the end.

    Runs on: A or B. Proves: nothing. Writes: channelEnds. Emits: channel_close_init.
    """
    # APP
    routed.app.on_chan_close_init(ctx, Closing(routed.port_id, routed.channel_id))
    close(keepers, ctx, validate_close(keepers, ctx, routed.port_id, routed.channel_id))


def close(keepers: Keepers, ctx: WriteContext, verified: VerifiedCloseInit) -> None:
    """Write the end as CLOSED; also used by applications that close their own channels."""
    port_id, channel_id, closed = verified
    # STATE
    keepers.channels.set(ctx, port_id, channel_id, closed)
    # EVENTS
    ctx.emit(channel_events.step("close_init", port_id, channel_id, closed))
    ctx.emit(channel_events.MODULE)
