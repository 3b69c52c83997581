"""Stateless checks that several messages of the channel handshake share (ICS-4)."""

from ibc_core.channel.types import ChannelEnd, ChannelState, Order
from ibc_core.errors import (
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    TooManyConnectionHops,
)
from ibc_core.identifiers import (
    is_channel_id,
    validate_channel_id,
    validate_connection_id,
    validate_port_id,
)


def check_end(end: ChannelEnd) -> None:
    """Checks an end that is asked for.

    Raises:
        InvalidChannelOrdering, TooManyConnectionHops, InvalidIdentifier.
    """
    if end.ordering not in {Order.ORDERED, Order.UNORDERED}:
        raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", end.ordering.text)
    if len(end.connection_hops) != 1:
        raise TooManyConnectionHops(len(end.connection_hops))
    validate_connection_id(end.connection_id)
    validate_port_id(end.counterparty.port_id)
    if end.counterparty.channel_id:
        validate_channel_id(end.counterparty.channel_id)


def check_state(end: ChannelEnd, port_id: str, expected: ChannelState) -> None:
    """Checks that the end is asked for in the state that the handshake gives it.

    Raises:
        InvalidChannelState: it is another.
    """
    if end.state is not expected:
        raise InvalidChannelState(port_id, expected.name, end.state.name)


def check_own_channel_id(channel_id: str) -> None:
    """Checks the name of an own channel, which was generated.

    Raises:
        InvalidChannelIdentifier: it is not of the form `channel-N`.
    """
    if not is_channel_id(channel_id):
        raise InvalidChannelIdentifier(channel_id[:64])
