"""Base classes of middleware (ICS-30), which forward every call; a middleware overrides what it changes."""

from pyibc.core.application.classic import (
    Acknowledged,
    AppAcknowledgement,
    BoundApp,
    Closing,
    IbcApp,
    Opened,
    Opening,
    Received,
    TimedOut,
)
from pyibc.core.application.defaults import handed_on
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import PacketSender
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import Packet


class PassThroughApp(IbcApp):
    """Middleware around an application that forwards all callbacks to `below`.

    `on_cleanup_packet` is not forwarded, because a middleware that stores data of packets must delete it. A
    middleware that supports cleanup defines `on_cleanup_packet(ctx, cleaned_up)` and calls that of `below`,
    which may be None.
    """

    def __init__(self, below: BoundApp) -> None:
        self.below = below

    @handed_on
    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """Forward to `below`."""

    @handed_on
    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """Forward to `below`."""

    @handed_on
    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """Forward to `below`."""

    @handed_on
    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """Forward to `below`."""

    @handed_on
    def on_chan_close_init(self, ctx: WriteContext, closing: Closing) -> None:
        """Forward to `below`."""

    @handed_on
    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """Forward to `below`."""

    @handed_on
    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Forward to `below`."""

    @handed_on
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Forward to `below`."""

    @handed_on
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Forward to `below`."""

    @handed_on
    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:  # type: ignore[empty-body]
        """Forward to `below`."""


class PassThroughSender(PacketSender):
    """Packet sender between an application and the module that forwards every call to `above`."""

    def __init__(self, above: PacketSender) -> None:
        self.above = above

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Forward to `above`."""
        return self.above.send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Forward to `above`."""
        self.above.write_acknowledgement(ctx, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Forward to `above`."""
        self.above.close_channel(ctx, port_id, channel_id)
