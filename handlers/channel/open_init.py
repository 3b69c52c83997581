"""Handler of MsgChannelOpenInit: chain A starts a channel (ICS-4 chanOpenInit)."""

from typing import NamedTuple

from handlers.channel.connection import check_ordering_supported
from handlers.identifiers import check_channel_is_new, check_channel_name
from keepers.keepers import Keepers
from pyibc.core.application.classic import BoundApp, Opening
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.messages import MsgChannelOpenInit
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedOpenInit(NamedTuple):
    """A channel that may be started."""

    msg: MsgChannelOpenInit
    app: BoundApp


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenInit) -> VerifiedOpenInit:
    """Check the port and the connection, which need not be OPEN yet.

    Raises:
        InvalidRoute, ConnectionNotFound, InvalidConnectionVersion, ClientNotActive.
        InvalidIdentifier, InvalidChannelIdentifier, ChannelExists: the requested identifier is not available.
    """
    # CHANNEL
    app = keepers.ports.route(msg.port_id_on_a)
    check_channel_name(keepers, msg.port_id_on_a, msg.channel_id_on_a)
    check_channel_is_new(keepers, ctx, msg.port_id_on_a, msg.channel_id_on_a)
    connection = keepers.connections.get(ctx, msg.channel.connection_id)
    check_ordering_supported(connection, msg.channel.ordering)
    keepers.clients.require_active(ctx, connection.client_id)
    return VerifiedOpenInit(msg, app)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenInit) -> tuple[str, str]:
    """Call the application, write the end as INIT, and return its identifier and version.

    Runs on: A.
    Proves: nothing.
    Writes: nextChannelSequence (unless an identifier is requested), channelEnds, nextSequenceSend,
        nextSequenceRecv, nextSequenceAck.
    Emits: channel_open_init.
    """
    msg, app = verified
    asked, port_id = msg.channel, msg.port_id_on_a
    channel_id = msg.channel_id_on_a or keepers.channels.next_channel_id(ctx)
    # APP
    opening = Opening(
        asked.ordering, asked.connection_id, port_id, channel_id, asked.counterparty, asked.version
    )
    version = app.on_chan_open_init(ctx, opening)
    # STATE: the callback may have opened a channel with the same identifier
    check_channel_is_new(keepers, ctx, port_id, msg.channel_id_on_a)
    end = ChannelEnd(ChannelState.INIT, asked.ordering, asked.counterparty, asked.connection_hops, version)
    keepers.channels.set(ctx, port_id, channel_id, end)
    keepers.channels.start_sequences(ctx, port_id, channel_id)
    # EVENTS
    ctx.emit(channel_events.open_init(port_id, channel_id, end))
    ctx.emit(channel_events.MODULE)
    return channel_id, version
