"""Bases for middleware (ICS-30): every call goes on unchanged; a middleware spells only what it changes."""

from ibc_core.application.classic import (
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
from ibc_core.application.omitted import handed_on
from ibc_core.application.packet_data import PacketData
from ibc_core.application.services import PacketSender
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet


class PassThroughApp(IbcApp):
    """What stands around an application; hands callbacks to `below`, whose callbacks take both arguments.

    `on_cleanup_packet` is not handed on: who notes something of packets must agree that one is forgotten. A
    middleware that does spells `on_cleanup_packet(ctx, cleaned_up)`, and calls `below`'s, which may be None.
    """

    def __init__(self, below: BoundApp) -> None:
        self.below = below

    @handed_on
    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """As below."""

    @handed_on
    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """As below."""

    @handed_on
    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """As below."""

    @handed_on
    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """As below."""

    @handed_on
    def on_chan_close_init(self, ctx: WriteContext, closing: Closing) -> None:
        """As below."""

    @handed_on
    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """As below."""

    @handed_on
    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """As below."""

    @handed_on
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """As below."""

    @handed_on
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """As below."""

    @handed_on
    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:  # type: ignore[empty-body]
        """As below."""


class PassThroughSender(PacketSender):
    """What stands between an application and the module: hands every call to `above`."""

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
        """As above."""
        return self.above.send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """As above."""
        self.above.write_acknowledgement(ctx, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """As above."""
        self.above.close_channel(ctx, port_id, channel_id)
