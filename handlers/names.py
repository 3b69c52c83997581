"""Chosen identifiers (ICS-24): first come, first served, and never one that the chain may generate."""

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
    """Checks the name that somebody chose for a channel; "" passes, it asks for a generated one.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidChannelIdentifier: it is of the form that is generated, or the host refuses it.
    """
    if not channel_id:
        return
    validate_channel_id(channel_id)
    accepts = keepers.rules.validate_channel_identifier
    if is_channel_id(channel_id) or (accepts is not None and not accepts(port_id, channel_id)):
        raise InvalidChannelIdentifier(channel_id)


def check_channel_is_new(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> None:
    """Checks that no channel of the port has the name, not even a closed one.

    Raises:
        ChannelExists: one has.
    """
    if channel_id and keepers.channels.has(ctx, port_id, channel_id):
        raise ChannelExists(port_id, channel_id)


def own_init(
    keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str, asked: ChannelEnd
) -> ChannelEnd | None:
    """Our own INIT end of the name, if `asked` means the same channel; None: there is no end of the name.

    Versions are not compared: that of `asked` is still to be settled.

    Raises:
        ChannelExists: the name is another channel's, or this one is beyond INIT.
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
    """Checks that the other end is the one that ours named, if it named one.

    Raises:
        InvalidChannelCounterparty: it is another.
    """
    named = end.counterparty.channel_id
    if named and named != channel_id_on_b:
        raise InvalidChannelCounterparty(f"our end names {named}, not {channel_id_on_b}")


def check_connection_name(keepers: Keepers, ctx: ReadContext, connection_id: str) -> None:
    """Checks the name that somebody chose for a connection; "" passes.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidConnectionIdentifier: it is of the form that is generated.
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
    """Checks that the other end is the one that ours named, if it named one.

    Raises:
        InvalidConnectionCounterparty: it is another.
    """
    if named and named != connection_id_on_b:
        raise InvalidConnectionCounterparty(f"our end names {named}, not {connection_id_on_b}")
