"""Opening and closing of channels by a module (ICS-4 chanOpen*, chanClose*).

Checks follow the order of the specification: identifier, hops, existing channel, capability, connection,
proof. Checks whose order cannot be observed are left to the standard handlers.
"""

from typing import NamedTuple

from handlers.channel import close_confirm, close_init, open_ack, open_confirm, open_init, open_try
from handlers.direct import plain
from handlers.direct.access import ModuleAccess
from handlers.direct.caller import calling
from handlers.names import check_channel_is_new, check_channel_name, own_init
from ibc_core.channel.checks import check_end
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import BOTH_STARTED, ChannelEnd, ChannelState
from ibc_core.direct.calls import OpenedChannel, Opening
from ibc_core.direct.capability import Capability
from ibc_core.direct.names import chosen_far_channel
from ibc_core.errors import ChannelExists
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import validate_channel_id, validate_port_id


class Proven(NamedTuple):
    """A proof and the other chain's height that it is for."""

    proof: bytes
    height: Height


def chan_open_init(
    access: ModuleAccess, ctx: WriteContext, port: Capability, opening: Opening
) -> OpenedChannel:
    """See `ibc_core.direct.calls.DirectHandler`."""
    keepers, port_id = access.keepers, opening.port_id
    _check_form(access, opening)
    chosen_far_channel(opening.counterparty.channel_id)
    # CHANNEL
    check_channel_is_new(keepers, ctx, port_id, opening.channel_id)
    keepers.connections.get(ctx, opening.connection_hops[0])
    access.port(port, port_id)
    end = _end(ChannelState.INIT, opening)
    msg = MsgChannelOpenInit(port_id, end, access.signer(port_id), opening.channel_id)
    verified = open_init.validate(keepers, ctx, msg)
    # STATE
    caller = calling(version=opening.version)
    channel_id, _ = open_init.execute(keepers, ctx, verified._replace(app=caller))
    return OpenedChannel(channel_id, access.capabilities.channel(port_id, channel_id))


def chan_open_try(
    access: ModuleAccess,
    ctx: WriteContext,
    port: Capability,
    opening: Opening,
    counterparty_version: str,
    proven: Proven,
    named: bool,
) -> OpenedChannel:
    """See `ibc_core.direct.calls.DirectHandler`."""
    keepers, port_id = access.keepers, opening.port_id
    _check_form(access, opening)
    validate_channel_id(opening.counterparty.channel_id)
    plain.require(str, counterparty_version)
    plain.proven(*proven)
    end = _end(ChannelState.TRYOPEN, opening)
    # CHANNEL
    _check_previous(access, ctx, opening, end)
    access.port(port, port_id)
    signer = access.signer(port_id)
    # PROOF
    msg = MsgChannelOpenTry(
        port_id, "", end, counterparty_version, *proven, signer, opening.channel_id, named
    )
    verified = open_try.validate(keepers, ctx, msg)
    # STATE
    caller = calling(version=opening.version)
    channel_id, _ = open_try.execute(keepers, ctx, verified._replace(app=caller))
    return OpenedChannel(channel_id, access.capabilities.channel(port_id, channel_id))


def _check_form(access: ModuleAccess, opening: Opening) -> None:
    """The checks that need no state.

    Raises:
        InvalidRequest, InvalidIdentifier, InvalidChannelIdentifier, TooManyConnectionHops,
        InvalidChannelOrdering.
    """
    plain.opening(opening)
    validate_port_id(opening.port_id)
    check_channel_name(access.keepers, opening.port_id, opening.channel_id)
    check_end(_end(ChannelState.INIT, opening))


def _end(state: ChannelState, opening: Opening) -> ChannelEnd:
    hops = opening.connection_hops
    return ChannelEnd(state, opening.order, opening.counterparty, hops, opening.version)


def _check_previous(access: ModuleAccess, ctx: ReadContext, opening: Opening, end: ChannelEnd) -> None:
    previous = own_init(access.keepers, ctx, opening.port_id, opening.channel_id, end)
    if previous is not None and previous.version != opening.version:
        raise ChannelExists(opening.port_id, opening.channel_id)


def chan_open_ack(
    access: ModuleAccess,
    ctx: WriteContext,
    channel: Capability,
    name: tuple[str, str],
    counterparty: tuple[str, str],
    proven: Proven,
) -> None:
    """See `ibc_core.direct.calls.DirectHandler`."""
    plain.require(str, *counterparty)
    plain.proven(*proven)
    # CHANNEL
    access.in_state(ctx, *name, "open_ack")
    access.channel(ctx, channel, *name)
    signer = access.signer(name[0])
    # PROOF
    msg = MsgChannelOpenAck(*name, *counterparty, *proven, signer)
    verified = open_ack.validate(access.keepers, ctx, msg, BOTH_STARTED)
    # STATE
    open_ack.execute(access.keepers, ctx, verified._replace(app=calling()))


def chan_open_confirm(
    access: ModuleAccess, ctx: WriteContext, channel: Capability, name: tuple[str, str], proven: Proven
) -> None:
    """See `ibc_core.direct.calls.DirectHandler`."""
    plain.proven(*proven)
    # CHANNEL
    access.in_state(ctx, *name, "open_confirm")
    access.channel(ctx, channel, *name)
    # PROOF
    msg = MsgChannelOpenConfirm(*name, *proven, access.signer(name[0]))
    verified = open_confirm.validate(access.keepers, ctx, msg)
    # STATE
    open_confirm.execute(access.keepers, ctx, verified._replace(app=calling()))


def chan_close_init(
    access: ModuleAccess, ctx: WriteContext, channel: Capability, name: tuple[str, str]
) -> None:
    """See `ibc_core.direct.calls.DirectHandler`."""
    # CHANNEL
    access.channel(ctx, channel, *name)
    # STATE
    close_init.close(access.keepers, ctx, close_init.validate_close(access.keepers, ctx, *name))


def chan_close_confirm(
    access: ModuleAccess, ctx: WriteContext, channel: Capability, name: tuple[str, str], proven: Proven
) -> None:
    """See `ibc_core.direct.calls.DirectHandler`."""
    plain.proven(*proven)
    # CHANNEL
    access.channel(ctx, channel, *name)
    # PROOF
    msg = MsgChannelCloseConfirm(*name, *proven, access.signer(name[0]))
    # STATE
    close_confirm.execute(access.keepers, ctx, close_confirm.RoutedCloseConfirm(msg, calling()))
