"""Handler of MsgChannelCloseConfirm: close an end whose counterparty is CLOSED (ICS-4 chanCloseConfirm)."""

from typing import NamedTuple

from handlers.channel.connection import expected_counterparty_end, state_after
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.application.classic import BoundApp, Closing
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.messages import MsgChannelCloseConfirm
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_channel_end


class RoutedCloseConfirm(NamedTuple):
    """A close, before the application's callback."""

    msg: MsgChannelCloseConfirm
    app: BoundApp


class VerifiedCloseConfirm(NamedTuple):
    """A channel end whose counterparty is CLOSED."""

    end: ChannelEnd  # to be written
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelCloseConfirm) -> RoutedCloseConfirm:  # noqa: ARG001
    """Look up the application, before any other check.

    Raises:
        InvalidRoute: no application is bound to the port.
    """
    return RoutedCloseConfirm(msg, keepers.ports.route(msg.port_id))


def validate_close(keepers: Keepers, ctx: ReadContext, msg: MsgChannelCloseConfirm) -> VerifiedCloseConfirm:
    """Check that the end of this chain is not CLOSED, and that the counterparty's end is.

    Raises:
        ChannelNotFound, InvalidChannelState, ConnectionNotFound, InvalidConnectionState.
        ClientNotActive, InvalidProof, ...: the counterparty's end is not proven.
    """
    # CHANNEL
    end = keepers.channels.get(ctx, msg.port_id, msg.channel_id)
    state = state_after(end, msg.port_id, msg.channel_id, "close_confirm")
    connection = keepers.connections.get_open(ctx, end.connection_id)
    # PROOF
    theirs = expected_counterparty_end(
        ChannelState.CLOSED, end, msg.port_id, msg.channel_id, connection, end.version
    )
    # guard: h23-close-confirm-under-the-own-port {end.counterparty.port_id => msg.port_id}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    # guard: h23-close-confirm-under-the-own-channel {end.counterparty.channel_id => msg.channel_id}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    path = paths.channel_path(end.counterparty.port_id, end.counterparty.channel_id)
    value = encode_channel_end(theirs)
    effect = keepers.connections.verify(ctx, connection, msg.proof_height, msg.proof_init, path, value)
    return VerifiedCloseConfirm(end.in_state(state), effect)


def execute(keepers: Keepers, ctx: WriteContext, routed: RoutedCloseConfirm) -> None:
    """Call the application, then close the end.

    Runs on: A or B. Proves: the counterparty's channel end. Writes: channelEnds; clients/{id}/ (by a
    single-use proof). Emits: channel_close_confirm.
    """
    msg, app = routed
    # APP
    app.on_chan_close_confirm(ctx, Closing(msg.port_id, msg.channel_id))
    closed, effect = validate_close(keepers, ctx, msg)
    # STATE
    keepers.clients.apply_effect(ctx, effect)
    keepers.channels.set(ctx, msg.port_id, msg.channel_id, closed)
    # EVENTS
    ctx.emit(channel_events.step("close_confirm", msg.port_id, msg.channel_id, closed))
    ctx.emit(channel_events.MODULE)
