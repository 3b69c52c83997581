"""Handler of MsgChannelOpenAck: chain A opens its end (ICS-4 chanOpenAck)."""

from typing import NamedTuple

from handlers.channel.connection import Table, expected_counterparty_end, state_after
from handlers.identifiers import check_channel_counterparty
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.application.classic import BoundApp, Opened
from pyibc.core.channel import events as channel_events
from pyibc.core.channel.messages import MsgChannelOpenAck
from pyibc.core.channel.types import ALLOWED, ChannelCounterparty, ChannelEnd, ChannelState
from pyibc.core.errors import InvalidChannelVersion
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_channel_end


class VerifiedOpenAck(NamedTuple):
    """A channel whose counterparty is TRYOPEN."""

    msg: MsgChannelOpenAck
    end_on_a: ChannelEnd
    state: ChannelState
    app: BoundApp
    effect: ProofEffect | None  # of the proof


def validate(
    keepers: Keepers, ctx: ReadContext, msg: MsgChannelOpenAck, table: Table = ALLOWED
) -> VerifiedOpenAck:
    """Check that chain A's end is INIT, and that chain B's end is TRYOPEN with A's end as counterparty.

    With the table `BOTH_STARTED`, A's end may also be TRYOPEN if the versions are equal; otherwise each end
    would adopt the other's version.

    Raises:
        InvalidChannelCounterparty: A's end has another counterparty channel.
        InvalidChannelVersion: both ends are TRYOPEN, with different versions.
        InvalidRoute, ChannelNotFound, InvalidChannelState, ConnectionNotFound, InvalidConnectionState.
        ClientNotActive, InvalidProof, ...: B's end is not proven.
    """
    port_id, channel_id = msg.port_id_on_a, msg.channel_id_on_a
    # CHANNEL
    app = keepers.ports.route(port_id)
    end_on_a = keepers.channels.get(ctx, port_id, channel_id)
    state = state_after(end_on_a, port_id, channel_id, "open_ack", table)
    check_channel_counterparty(end_on_a, msg.channel_id_on_b)
    if end_on_a.state is ChannelState.TRYOPEN and msg.version_on_b != end_on_a.version:
        raise InvalidChannelVersion(end_on_a.version, msg.version_on_b)
    connection = keepers.connections.get_open(ctx, end_on_a.connection_id)
    # PROOF
    end_on_b = expected_counterparty_end(
        ChannelState.TRYOPEN, end_on_a, port_id, channel_id, connection, msg.version_on_b
    )
    # guard: h23-open-ack-under-the-own-port {end_on_a.counterparty.port_id => port_id}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    # guard: h23-open-ack-under-the-own-channel {msg.channel_id_on_b => channel_id}
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    path = paths.channel_path(end_on_a.counterparty.port_id, msg.channel_id_on_b)
    value = encode_channel_end(end_on_b)
    effect = keepers.connections.verify(ctx, connection, msg.proof_height, msg.proof_try, path, value)
    return VerifiedOpenAck(msg, end_on_a, state, app, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenAck) -> None:
    """Write the end as OPEN with B's version and channel, then call the application.

    Runs on: A. Proves: B's channel end. Writes: channelEnds; clients/{id}/ (by a single-use proof). Emits:
    channel_open_ack.
    """
    msg, end_on_a, state, app, effect = verified
    port_id, channel_id = msg.port_id_on_a, msg.channel_id_on_a
    # STATE
    keepers.clients.apply_effect(ctx, effect)
    end = ChannelEnd(
        state,
        end_on_a.ordering,
        ChannelCounterparty(end_on_a.counterparty.port_id, msg.channel_id_on_b),
        end_on_a.connection_hops,
        msg.version_on_b,
    )
    keepers.channels.set(ctx, port_id, channel_id, end)
    # EVENTS
    ctx.emit(channel_events.step("open_ack", port_id, channel_id, end))
    ctx.emit(channel_events.MODULE)
    # APP
    app.on_chan_open_ack(ctx, Opened(port_id, channel_id, end.counterparty, end.version))
