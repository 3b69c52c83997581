"""Chain B answers (ICS-4 chanOpenTry)."""

from typing import NamedTuple

from handlers.channel.connection import check_ordering_supported, expected_counterparty_end
from ibc_module.core import channel_events, paths
from ibc_module.core.application import IbcApp
from ibc_module.core.channel import ChannelEnd, ChannelState
from ibc_module.core.context import ReadContext, WriteContext
from ibc_module.core.messages import MsgChannelOpenTry
from ibc_module.wire.states import encode_channel_end
from keepers.keepers import Keepers
from light_client.interface import ProofEffect


class VerifiedOpenTry(NamedTuple):
    """A channel whose other end is INIT."""

    msg: MsgChannelOpenTry
    app: IbcApp
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenTry) -> VerifiedOpenTry:
    """Checks that A's end is INIT and means this port and connection.

    Raises:
        InvalidRoute, ConnectionNotFound, InvalidConnectionState, InvalidConnectionVersion.
        ClientNotActive, InvalidProof, ...: A's end is not proven.
    """
    # CHANNEL
    app = keepers.ports.route(msg.port_id_on_b)
    asked = msg.channel
    connection = keepers.connections.get_open(ctx, asked.connection_id)
    check_ordering_supported(connection, asked.ordering)
    # PROOF
    end_on_a = expected_counterparty_end(
        ChannelState.INIT, asked, msg.port_id_on_b, "", connection, msg.version_on_a
    )
    path = paths.channel_path(asked.counterparty.port_id, asked.counterparty.channel_id)
    value = encode_channel_end(end_on_a)
    effect = keepers.connections.verify(ctx, connection, msg.proof_height, msg.proof_init, path, value)
    return VerifiedOpenTry(msg, app, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenTry) -> tuple[str, str]:
    """Asks the application and writes the end as TRYOPEN; returns its identifier and version.

    Runs on: B.
    Proves: A's channel end.
    Writes: nextChannelSequence, channelEnds, nextSequenceSend, nextSequenceRecv, nextSequenceAck;
        clients/{id}/ (where a proof is used up).
    Emits: channel_open_try.
    """
    msg, app, effect = verified
    asked, port_id = msg.channel, msg.port_id_on_b
    keepers.clients.settle(ctx, effect)
    channel_id = keepers.channels.next_channel_id(ctx)
    # APP
    version = app.on_chan_open_try(
        ctx, asked.ordering, asked.connection_id, port_id, channel_id, asked.counterparty, msg.version_on_a
    )
    # STATE
    end = ChannelEnd(ChannelState.TRYOPEN, asked.ordering, asked.counterparty, asked.connection_hops, version)
    keepers.channels.start_sequences(ctx, port_id, channel_id)
    keepers.channels.set(ctx, port_id, channel_id, end)
    # EVENTS
    ctx.emit(channel_events.open_try(port_id, channel_id, end))
    ctx.emit(channel_events.MODULE)
    return channel_id, version
