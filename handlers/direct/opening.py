"""Opening and closing of channels by a module (ICS-4 chanOpen*, chanClose*).

Checks come in the order of the text: the name, the hops, what is there under the name, the capability, the
connection, the proof. What only the proof's cost would tell apart is left to today's handlers.
"""

from typing import NamedTuple

from handlers.channel import close_confirm, close_init, open_ack, open_confirm, open_init, open_try
from handlers.direct import plain
from handlers.direct.caller import Caller
from handlers.direct.desk import Desk
from handlers.names import check_channel_is_new, check_channel_name, own_init
from ibc_core import basic_checks
from ibc_core.channel.types import BOTH_STARTED, ChannelEnd, ChannelState
from ibc_core.direct.basic_checks import chosen_far_channel
from ibc_core.direct.calls import OpenedChannel, Opening
from ibc_core.direct.capability import Capability
from ibc_core.errors import ChannelExists
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.messages import (
    MsgChannelCloseConfirm,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)


class Proven(NamedTuple):
    """A proof and the other chain's height that it is for."""

    proof: bytes
    height: Height


def chan_open_init(desk: Desk, ctx: WriteContext, port: Capability, opening: Opening) -> OpenedChannel:
    """See `ibc_core.direct.calls.Ics4Handler`."""
    keepers, port_id = desk.keepers, opening.port_id
    _check_form(desk, opening)
    chosen_far_channel(opening.counterparty.channel_id)
    check_channel_is_new(keepers, ctx, port_id, opening.channel_id)
    keepers.connections.get(ctx, opening.connection_hops[0])
    desk.port(port, port_id)
    end = _end(ChannelState.INIT, opening)
    msg = MsgChannelOpenInit(port_id, end, desk.signer(port_id), opening.channel_id)
    verified = open_init.validate(keepers, ctx, msg)
    caller = Caller(version=opening.version)
    channel_id, _ = open_init.execute(keepers, ctx, verified._replace(app=caller))
    return OpenedChannel(channel_id, desk.capabilities.channel(port_id, channel_id))


def chan_open_try(
    desk: Desk,
    ctx: WriteContext,
    port: Capability,
    opening: Opening,
    counterparty_version: str,
    proven: Proven,
    named: bool,
) -> OpenedChannel:
    """See `ibc_core.direct.calls.Ics4Handler`."""
    keepers, port_id = desk.keepers, opening.port_id
    _check_form(desk, opening)
    validate_channel_id(opening.counterparty.channel_id)
    plain.require(str, counterparty_version)
    plain.proven(*proven)
    end = _end(ChannelState.TRYOPEN, opening)
    _check_previous(desk, ctx, opening, end)
    desk.port(port, port_id)
    signer = desk.signer(port_id)
    msg = MsgChannelOpenTry(
        port_id, "", end, counterparty_version, *proven, signer, opening.channel_id, named
    )
    verified = open_try.validate(keepers, ctx, msg)
    caller = Caller(version=opening.version)
    channel_id, _ = open_try.execute(keepers, ctx, verified._replace(app=caller))
    return OpenedChannel(channel_id, desk.capabilities.channel(port_id, channel_id))


def _check_form(desk: Desk, opening: Opening) -> None:
    """The checks that need no state.

    Raises:
        InvalidRequest, InvalidIdentifier, InvalidChannelIdentifier, TooManyConnectionHops,
        InvalidChannelOrdering.
    """
    plain.opening(opening)
    validate_port_id(opening.port_id)
    check_channel_name(desk.keepers, opening.port_id, opening.channel_id)
    basic_checks.channel_end(_end(ChannelState.INIT, opening))


def _end(state: ChannelState, opening: Opening) -> ChannelEnd:
    hops = opening.connection_hops
    return ChannelEnd(state, opening.order, opening.counterparty, hops, opening.version)


def _check_previous(desk: Desk, ctx: ReadContext, opening: Opening, end: ChannelEnd) -> None:
    previous = own_init(desk.keepers, ctx, opening.port_id, opening.channel_id, end)
    if previous is not None and previous.version != opening.version:
        raise ChannelExists(opening.port_id, opening.channel_id)


def chan_open_ack(
    desk: Desk,
    ctx: WriteContext,
    channel: Capability,
    name: tuple[str, str],
    counterparty: tuple[str, str],
    proven: Proven,
) -> None:
    """See `ibc_core.direct.calls.Ics4Handler`."""
    plain.require(str, *counterparty)
    plain.proven(*proven)
    desk.in_state(ctx, *name, "open_ack")
    desk.channel(ctx, channel, *name)
    signer = desk.signer(name[0])
    msg = MsgChannelOpenAck(*name, *counterparty, *proven, signer)
    verified = open_ack.validate(desk.keepers, ctx, msg, BOTH_STARTED)
    open_ack.execute(desk.keepers, ctx, verified._replace(app=Caller()))


def chan_open_confirm(
    desk: Desk, ctx: WriteContext, channel: Capability, name: tuple[str, str], proven: Proven
) -> None:
    """See `ibc_core.direct.calls.Ics4Handler`."""
    plain.proven(*proven)
    desk.in_state(ctx, *name, "open_confirm")
    desk.channel(ctx, channel, *name)
    msg = MsgChannelOpenConfirm(*name, *proven, desk.signer(name[0]))
    verified = open_confirm.validate(desk.keepers, ctx, msg)
    open_confirm.execute(desk.keepers, ctx, verified._replace(app=Caller()))


def chan_close_init(desk: Desk, ctx: WriteContext, channel: Capability, name: tuple[str, str]) -> None:
    """See `ibc_core.direct.calls.Ics4Handler`."""
    desk.channel(ctx, channel, *name)
    close_init.close(desk.keepers, ctx, close_init.validate_close(desk.keepers, ctx, *name))


def chan_close_confirm(
    desk: Desk, ctx: WriteContext, channel: Capability, name: tuple[str, str], proven: Proven
) -> None:
    """See `ibc_core.direct.calls.Ics4Handler`."""
    plain.proven(*proven)
    desk.channel(ctx, channel, *name)
    msg = MsgChannelCloseConfirm(*name, *proven, desk.signer(name[0]))
    close_confirm.execute(desk.keepers, ctx, close_confirm.RoutedCloseConfirm(msg, Caller()))
