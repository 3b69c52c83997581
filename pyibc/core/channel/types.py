"""Channel ends and the transition table of the handshake (ICS-4)."""

from enum import IntEnum

from pyibc.core.value import value
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.core.channel.v1 import channel_pb2


class ChannelState(IntEnum):
    """State of a channel end; numbers as in protobuf."""

    UNINITIALIZED = 0
    INIT = 1
    TRYOPEN = 2
    OPEN = 3
    CLOSED = 4


class Order(IntEnum):
    """Channel ordering; numbers as in protobuf."""

    NONE = 0
    UNORDERED = 1
    ORDERED = 2

    @property
    def text(self) -> str:
        """The name in versions and events, such as `ORDER_ORDERED`."""
        return ORDER_TEXT[self]


ORDER_TEXT = {
    Order.NONE: "ORDER_NONE_UNSPECIFIED",
    Order.UNORDERED: "ORDER_UNORDERED",
    Order.ORDERED: "ORDER_ORDERED",
}


@on_wire(channel_pb2.Counterparty)
@value
class ChannelCounterparty:
    """Port and channel on the counterparty chain."""

    port_id: str
    channel_id: str  # "" until the other end has one


@on_wire(channel_pb2.Channel)
@value
class ChannelEnd:
    """One end of a channel."""

    state: ChannelState
    ordering: Order
    counterparty: ChannelCounterparty
    connection_hops: tuple[str, ...]  # exactly one connection id
    version: str

    @property
    def connection_id(self) -> str:
        """The connection id of the channel's only hop."""
        return self.connection_hops[0]

    def in_state(self, state: ChannelState) -> "ChannelEnd":
        """Return a copy of the end in another state."""
        return ChannelEnd(state, self.ordering, self.counterparty, self.connection_hops, self.version)


ALLOWED: dict[tuple[ChannelState, str], ChannelState] = {
    (ChannelState.UNINITIALIZED, "open_init"): ChannelState.INIT,
    (ChannelState.UNINITIALIZED, "open_try"): ChannelState.TRYOPEN,
    (ChannelState.INIT, "open_ack"): ChannelState.OPEN,
    (ChannelState.TRYOPEN, "open_confirm"): ChannelState.OPEN,
    (ChannelState.INIT, "close_init"): ChannelState.CLOSED,
    (ChannelState.TRYOPEN, "close_init"): ChannelState.CLOSED,
    (ChannelState.OPEN, "close_init"): ChannelState.CLOSED,
    (ChannelState.INIT, "close_confirm"): ChannelState.CLOSED,
    (ChannelState.TRYOPEN, "close_confirm"): ChannelState.CLOSED,
    (ChannelState.OPEN, "close_confirm"): ChannelState.CLOSED,
}
"""(state before, message) -> state after; every other pair is refused.

In addition, a timeout closes an ordered channel in any state (ICS-4).
"""

BOTH_STARTED: dict[tuple[ChannelState, str], ChannelState] = {
    **ALLOWED,
    (ChannelState.INIT, "open_try"): ChannelState.TRYOPEN,
    (ChannelState.TRYOPEN, "open_ack"): ChannelState.OPEN,
}
"""Transitions of the first ICS-4 text, in which both chains may start a channel; ibc-go refuses the two."""
