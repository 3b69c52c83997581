"""Closes an end whose counterparty is closed (ICS-4 chanCloseConfirm)."""

from typing import NamedTuple

from handlers.channel.connection import expected_counterparty_end, state_after
from ibc_core import paths
from ibc_core.application.classic import BoundApp, Closing
from ibc_core.channel import events as channel_events
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire.states import encode_channel_end
from keepers.keepers import Keepers
from light_client.interface import ProofEffect


class RoutedCloseConfirm(NamedTuple):
    """A close, before the application's callback."""

    msg: MsgChannelCloseConfirm
    app: BoundApp


class VerifiedCloseConfirm(NamedTuple):
    """A channel end whose counterparty is CLOSED."""

    end: ChannelEnd  # as it will be
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgChannelCloseConfirm) -> RoutedCloseConfirm:  # noqa: ARG001
    """Looks up the application, before any other check.

    Raises:
        InvalidRoute: none is bound to the port.
    """
    return RoutedCloseConfirm(msg, keepers.ports.route(msg.port_id))


def validate_close(keepers: Keepers, ctx: ReadContext, msg: MsgChannelCloseConfirm) -> VerifiedCloseConfirm:
    """Checks that our end is not CLOSED and that its counterparty is.

    Raises:
        ChannelNotFound, InvalidChannelState, ConnectionNotFound, InvalidConnectionState.
        ClientNotActive, InvalidProof, ...: the other end is not proven.
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
    """Calls the application, then closes the end.

    Runs on: A or B.
    Proves: the other channel end.
    Writes: channelEnds; clients/{id}/ (where a proof is used up).
    Emits: channel_close_confirm.
    """
    msg, app = routed
    # APP
    app.on_chan_close_confirm(ctx, Closing(msg.port_id, msg.channel_id))
    closed, effect = validate_close(keepers, ctx, msg)
    # STATE
    keepers.clients.settle(ctx, effect)
    keepers.channels.set(ctx, msg.port_id, msg.channel_id, closed)
    # EVENTS
    ctx.emit(channel_events.step("close_confirm", msg.port_id, msg.channel_id, closed))
    ctx.emit(channel_events.MODULE)
