"""Base classes of IBC v2 middleware, which forward every call; a middleware overrides what it changes."""

from pyibc.core.address import Address
from pyibc.core.application.defaults import handed_on
from pyibc.core.application.packet_data import PacketData
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
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet_v2.types import AcknowledgementV2, Payload


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
