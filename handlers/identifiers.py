"""Checks of requested identifiers (ICS-24): they must be unused, and not of the generated form."""

from keepers.keepers import Keepers
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.errors import (
    ChannelExists,
    ConnectionExists,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
)
from pyibc.core.host.context import ReadContext
from pyibc.core.identifiers import (
    LOCALHOST_CONNECTION_ID,
    is_channel_id,
    is_connection_id,
    validate_channel_id,
    validate_connection_id,
)


def check_channel_name(keepers: Keepers, port_id: str, channel_id: str) -> None:
    """Check a requested channel identifier; "" stands for a generated one and is valid.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidChannelIdentifier: it has the form of generated identifiers, or the host refuses it.
    """
    if not channel_id:
        return
    validate_channel_id(channel_id)
    accepts = keepers.rules.validate_channel_identifier
    if is_channel_id(channel_id) or (accepts is not None and not accepts(port_id, channel_id)):
        raise InvalidChannelIdentifier(channel_id)


def check_channel_is_new(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str) -> None:
    """Check that no channel of the port has the identifier, including closed ones.

    Raises:
        ChannelExists: a channel has the identifier.
    """
    if channel_id and keepers.channels.has(ctx, port_id, channel_id):
        raise ChannelExists(port_id, channel_id)


def find_own_init(
    keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str, asked: ChannelEnd
) -> ChannelEnd | None:
    """Return the INIT end with the identifier, if it is of the channel `asked`; None if there is no end.

    Versions are not compared, because that of `asked` has not been negotiated yet.

    Raises:
        ChannelExists: the end is of another channel, or not INIT.
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
    """Check that the counterparty's identifier is the one in this chain's end, if that is set.

    Raises:
        InvalidChannelCounterparty: the identifiers differ.
    """
    named = end.counterparty.channel_id
    if named and named != channel_id_on_b:
        raise InvalidChannelCounterparty(f"our end names {named}, not {channel_id_on_b}")


def check_connection_name(keepers: Keepers, ctx: ReadContext, connection_id: str) -> None:
    """Check a requested connection identifier; "" stands for a generated one and is valid.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidConnectionIdentifier: it has the form of generated identifiers.
        ConnectionExists: a connection has the identifier.
    """
    if not connection_id:
        return
    validate_connection_id(connection_id)
    if is_connection_id(connection_id) or connection_id == LOCALHOST_CONNECTION_ID:
        raise InvalidConnectionIdentifier(connection_id)
    if keepers.connections.has(ctx, connection_id):
        raise ConnectionExists(connection_id)


def check_connection_counterparty(named: str, connection_id_on_b: str) -> None:
    """Check that the counterparty's identifier is the one in this chain's end, if that is set.

    Raises:
        InvalidConnectionCounterparty: the identifiers differ.
    """
    if named and named != connection_id_on_b:
        raise InvalidConnectionCounterparty(f"our end names {named}, not {connection_id_on_b}")
