"""Checks of a channel against its connection, shared by the channel messages."""

from collections.abc import Mapping

from pyibc.core.channel.types import ALLOWED, ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.errors import InvalidChannelState, InvalidConnectionVersion


def check_ordering_supported(connection: ConnectionEnd, ordering: Order) -> None:
    """Check that the connection has exactly one version, and that it supports `ordering`.

    Raises:
        InvalidConnectionVersion: it has several versions, or its version does not support the ordering.
    """
    if len(connection.versions) != 1:
        raise InvalidConnectionVersion(f"{len(connection.versions)} versions, one must be negotiated")
    version = connection.versions[0]
    if ordering.text not in version.features:
        raise InvalidConnectionVersion(f"version {version.identifier!a} has no {ordering.text} channels")


Table = Mapping[tuple[ChannelState, str], ChannelState]
"""(state before, message) -> state after."""


def state_after(
    end: ChannelEnd, port_id: str, channel_id: str, message: str, table: Table = ALLOWED
) -> ChannelState:
    """Return the state after `message`, from the handshake's transition table.

    Raises:
        InvalidChannelState: the table has no such transition.
    """
    after = table.get((end.state, message))
    if after is None:
        allowed = " or ".join(before.name for before, name in table if name == message)
        raise InvalidChannelState(f"{port_id}/{channel_id}", allowed, end.state.name)
    return after


def expected_counterparty_end(
    state: ChannelState,
    ours: ChannelEnd,
    port_id: str,
    channel_id: str,
    connection: ConnectionEnd,
    version: str,
) -> ChannelEnd:
    """Return the channel end that the counterparty chain must have stored."""
    counterparty = ChannelCounterparty(port_id, channel_id)
    hops = (connection.counterparty.connection_id,)
    return ChannelEnd(state, ours.ordering, counterparty, hops, version)
