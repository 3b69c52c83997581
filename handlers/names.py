"""Chosen identifiers (ICS-24): first come, first served, and never of the form that the chain generates."""

from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.errors import (
    ChannelExists,
    ConnectionExists,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
)
from ibc_core.host.context import ReadContext
from ibc_core.identifiers import (
    LOCALHOST_CONNECTION_ID,
    is_channel_id,
    is_connection_id,
    validate_channel_id,
    validate_connection_id,
)
from keepers.keepers import Keepers


def check_channel_name(keepers: Keepers, port_id: str, channel_id: str) -> None:
    """Checks a chosen channel identifier; "" passes: it requests a generated one.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidChannelIdentifier: it has the form of generated ones, or the host refuses it.
    """
    if not channel_id:
        return
    validate_channel_id(channel_id)
    accepts = keepers.rules.validate_channel_identifier
    if is_channel_id(channel_id) or (accepts is not None and not accepts(port_id, channel_id)):
        raise InvalidChannelIdentifier(channel_id)


def check_channel_is_new(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> None:
    """Checks that no channel of the port has the identifier, not even a closed one.

    Raises:
        ChannelExists: one has.
    """
    if channel_id and keepers.channels.has(ctx, port_id, channel_id):
        raise ChannelExists(port_id, channel_id)


def own_init(
    keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str, asked: ChannelEnd
) -> ChannelEnd | None:
    """Our own INIT end of that identifier, if `asked` is the same channel; None if there is no such end.

    Versions are not compared: that of `asked` is not negotiated yet.

    Raises:
        ChannelExists: it is another channel, or no longer INIT.
    """
    if not channel_id or not keepers.channels.has(ctx, port_id, channel_id):
        return None
    found = keepers.channels.get(ctx, port_id, channel_id)
    wanted = ChannelEnd(
        ChannelState.INIT, asked.ordering, asked.counterparty, asked.connection_hops, found.version
    )
    if found != wanted:
        raise ChannelExists(port_id, channel_id)
    return found


def check_channel_counterparty(end: ChannelEnd, channel_id_on_b: str) -> None:
    """Checks that the other end is the counterparty that ours names, if it names one.

    Raises:
        InvalidChannelCounterparty: it is another.
    """
    named = end.counterparty.channel_id
    if named and named != channel_id_on_b:
        raise InvalidChannelCounterparty(f"our end names {named}, not {channel_id_on_b}")


def check_connection_name(keepers: Keepers, ctx: ReadContext, connection_id: str) -> None:
    """Checks a chosen connection identifier; "" passes.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidConnectionIdentifier: it has the form of generated ones.
        ConnectionExists: it is taken.
    """
    if not connection_id:
        return
    validate_connection_id(connection_id)
    if is_connection_id(connection_id) or connection_id == LOCALHOST_CONNECTION_ID:
        raise InvalidConnectionIdentifier(connection_id)
    if keepers.connections.has(ctx, connection_id):
        raise ConnectionExists(connection_id)


def check_connection_counterparty(named: str, connection_id_on_b: str) -> None:
    """Checks that the other end is the counterparty that ours names, if it names one.

    Raises:
        InvalidConnectionCounterparty: it is another.
    """
    if named and named != connection_id_on_b:
        raise InvalidConnectionCounterparty(f"our end names {named}, not {connection_id_on_b}")
