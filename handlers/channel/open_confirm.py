"""Handler of MsgChannelOpenConfirm: chain B opens its end (ICS-4 chanOpenConfirm)."""

from typing import NamedTuple

from handlers.channel.connection import expected_counterparty_end, state_after
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.application.classic import BoundApp, Opened
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.messages import MsgChannelOpenConfirm
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_channel_end


class VerifiedOpenConfirm(NamedTuple):
    """A channel whose counterparty is OPEN."""

    msg: MsgChannelOpenConfirm
    end_on_b: ChannelEnd  # to be written
    app: BoundApp
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenConfirm) -> VerifiedOpenConfirm:
    """Check that chain B's end is TRYOPEN, and that chain A's end is OPEN with B's end as counterparty.

    Raises:
        InvalidRoute, ChannelNotFound, InvalidChannelState, ConnectionNotFound, InvalidConnectionState.
        ClientNotActive, InvalidProof, ...: A's end is not proven.
    """
    port_id, channel_id = msg.port_id_on_b, msg.channel_id_on_b
    # CHANNEL
    app = keepers.ports.route(port_id)
    end_on_b = keepers.channels.get(ctx, port_id, channel_id)
    state = state_after(end_on_b, port_id, channel_id, "open_confirm")
    connection = keepers.connections.get_open(ctx, end_on_b.connection_id)
    # PROOF
    end_on_a = expected_counterparty_end(
        ChannelState.OPEN, end_on_b, port_id, channel_id, connection, end_on_b.version
    )
    counterparty = end_on_b.counterparty
    # guard: h23-open-confirm-under-the-own-port {counterparty.port_id => port_id}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    # guard: h23-open-confirm-under-the-own-channel {counterparty.channel_id => channel_id}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    path = paths.channel_path(counterparty.port_id, counterparty.channel_id)
    value = encode_channel_end(end_on_a)
    effect = keepers.connections.verify(ctx, connection, msg.proof_height, msg.proof_ack, path, value)
    return VerifiedOpenConfirm(msg, end_on_b.in_state(state), app, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenConfirm) -> None:
    """Write the end as OPEN, then call the application.

    Runs on: B. Proves: A's channel end. Writes: channelEnds; clients/{id}/ (by a single-use proof). Emits:
    channel_open_confirm.
    """
    msg, end, app, effect = verified
    port_id, channel_id = msg.port_id_on_b, msg.channel_id_on_b
    # STATE
    keepers.clients.apply_effect(ctx, effect)
    keepers.channels.set(ctx, port_id, channel_id, end)
    # EVENTS
    ctx.emit(channel_events.step("open_confirm", port_id, channel_id, end))
    ctx.emit(channel_events.MODULE)
    # APP
    app.on_chan_open_confirm(ctx, Opened(port_id, channel_id, end.counterparty, end.version))
