"""Base classes of middleware (ICS-30), over a channel and over a client.

They forward every call; a middleware overrides what it changes.
"""

from pyibc.core.address import Address
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
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import PacketSender
from pyibc.core.application.v2 import (
    AcknowledgedV2,
    BoundAppV2,
    IbcAppV2,
    PacketSenderV2,
    PayloadAnswer,
    ReceivedV2,
    SendingV2,
    TimedOutV2,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import AcknowledgementV2, Payload
from pyibc.isolation.binding import handed_on


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


class PassThroughAppV2(IbcAppV2):
    """Middleware around an application that forwards all callbacks to `below`."""

    def __init__(self, below: BoundAppV2) -> None:
        self.below = below

    @handed_on
    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Forward to `below`."""

    @handed_on
    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Forward to `below`."""

    @handed_on
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Forward to `below`."""

    @handed_on
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Forward to `below`."""

    @handed_on
    def decode_packet_data(self, ctx: ReadContext, payload: Payload) -> PacketData:  # type: ignore[empty-body]
        """Forward to `below`."""


class PassThroughSenderV2(PacketSenderV2):
    """Packet sender between an application and the module that forwards every call to `above`.

    `on_send_packet` gets every payload sent from the port, by an application or by MsgSendPacket. This
    class gets the application's own calls: packets that it sends and asynchronous acknowledgements.
    """

    def __init__(self, above: PacketSenderV2) -> None:
        self.above = above

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Forward to `above`."""
        return self.above.send_packet(ctx, client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Forward to `above`."""
        self.above.write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)
