"""Handler of MsgChannelOpenTry: chain B accepts a channel (ICS-4 chanOpenTry)."""

from typing import NamedTuple

from handlers.channel.connection import check_ordering_supported, expected_counterparty_end
from handlers.identifiers import check_channel_name, find_own_init
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.application.classic import BoundApp, Opening
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.messages import MsgChannelOpenTry
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.errors import ChannelExists, InvalidChannelVersion
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_channel_end


class VerifiedOpenTry(NamedTuple):
    """A channel whose counterparty is INIT."""

    msg: MsgChannelOpenTry
    app: BoundApp
    effect: ProofEffect | None  # of the proof
    started: ChannelEnd | None = None  # chain B's INIT end, if both chains started the handshake


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenTry) -> VerifiedOpenTry:
    """Check that chain A's end is INIT with this port and connection as counterparty.

    Raises:
        InvalidRoute, ConnectionNotFound, InvalidConnectionState, InvalidConnectionVersion.
        InvalidIdentifier, InvalidChannelIdentifier, ChannelExists: the requested identifier is not available.
        ClientNotActive, InvalidProof, ...: A's end is not proven.
    """
    # CHANNEL
    app = keepers.ports.route(msg.port_id_on_b)
    asked = msg.channel
    check_channel_name(keepers, msg.port_id_on_b, msg.channel_id_on_b)
    started = find_own_init(keepers, ctx, msg.port_id_on_b, msg.channel_id_on_b, asked)
    connection = keepers.connections.get_open(ctx, asked.connection_id)
    check_ordering_supported(connection, asked.ordering)
    # PROOF
    end_on_a = expected_counterparty_end(
        ChannelState.INIT,
        asked,
        msg.port_id_on_b,
        msg.channel_id_on_b if msg.named_on_a else "",
        connection,
        msg.version_on_a,
    )
    # guard: h23-open-try-under-the-own-port {asked.counterparty.port_id => msg.port_id_on_b}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    path = paths.channel_path(asked.counterparty.port_id, asked.counterparty.channel_id)
    value = encode_channel_end(end_on_a)
    effect = keepers.connections.verify(ctx, connection, msg.proof_height, msg.proof_init, path, value)
    return VerifiedOpenTry(msg, app, effect, started)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenTry) -> tuple[str, str]:
    """Call the application, write the end as TRYOPEN, and return its identifier and version.

    Runs on: B.
    Proves: A's channel end.
    Writes: nextChannelSequence (unless an identifier is requested), channelEnds, nextSequenceSend,
        nextSequenceRecv, nextSequenceAck;
        clients/{id}/ (by a single-use proof).
    Emits: channel_open_try.
    """
    msg, app, effect, started = verified
    asked, port_id = msg.channel, msg.port_id_on_b
    keepers.clients.apply_effect(ctx, effect)
    channel_id = msg.channel_id_on_b or keepers.channels.next_channel_id(ctx)
    # APP
    opening = Opening(
        asked.ordering, asked.connection_id, port_id, channel_id, asked.counterparty, msg.version_on_a
    )
    version = app.on_chan_open_try(ctx, opening)
    # STATE
    _check_unmoved(keepers, ctx, msg, started, version)
    end = ChannelEnd(ChannelState.TRYOPEN, asked.ordering, asked.counterparty, asked.connection_hops, version)
    if started is None:  # otherwise the sequences exist, and packets may have been sent
        keepers.channels.start_sequences(ctx, port_id, channel_id)
    keepers.channels.set(ctx, port_id, channel_id, end)
    # EVENTS
    ctx.emit(channel_events.open_try(port_id, channel_id, end))
    ctx.emit(channel_events.MODULE)
    return channel_id, version


def _check_unmoved(
    keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenTry, started: ChannelEnd | None, version: str
) -> None:
    """Check that the callback did not change the channel, and returned the version of the INIT end, if any.

    Raises:
        ChannelExists: the callback opened, changed or closed a channel with the identifier.
        InvalidChannelVersion: the returned version is not that of the INIT end.
    """
    if find_own_init(keepers, ctx, msg.port_id_on_b, msg.channel_id_on_b, msg.channel) != started:
        raise ChannelExists(msg.port_id_on_b, msg.channel_id_on_b)
    if started is not None and version != started.version:
        raise InvalidChannelVersion(started.version, version)
