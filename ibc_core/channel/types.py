"""Channel ends and the handshake table (ICS-4)."""

from enum import IntEnum

from ibc_core.value import value
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.core.channel.v1 import channel_pb2


class ChannelState(IntEnum):
    """State of one end; numbers as in protobuf."""

    UNINITIALIZED = 0
    INIT = 1
    TRYOPEN = 2
    OPEN = 3
    CLOSED = 4


class Order(IntEnum):
    """Whether packets are delivered in the order they were sent; numbers as in protobuf."""

    NONE = 0
    UNORDERED = 1
    ORDERED = 2

    @property
    def text(self) -> str:
        """The name in versions and events: `ORDER_ORDERED`."""
        return ORDER_TEXT[self]


ORDER_TEXT = {
    Order.NONE: "ORDER_NONE_UNSPECIFIED",
    Order.UNORDERED: "ORDER_UNORDERED",
    Order.ORDERED: "ORDER_ORDERED",
}


@on_wire(channel_pb2.Counterparty)
@value
class ChannelCounterparty:
    """The other chain's port and channel."""

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
        """The channel's only connection hop."""
        return self.connection_hops[0]

    def in_state(self, state: ChannelState) -> "ChannelEnd":
        """The same end in another state."""
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

Beside these a timeout closes an ordered channel from whatever state (ICS-4).
"""

BOTH_STARTED: dict[tuple[ChannelState, str], ChannelState] = {
    **ALLOWED,
    (ChannelState.INIT, "open_try"): ChannelState.TRYOPEN,
    (ChannelState.TRYOPEN, "open_ack"): ChannelState.OPEN,
}
"""The table of ICS-4's first text: both chains may start one channel. Today's wire refuses the two steps."""
