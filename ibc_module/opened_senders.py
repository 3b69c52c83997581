"""Middleware of this distribution between applications and the module, called with the block's own context.

Below it a stranger's middleware may stand, which calls with a confined one.
"""

from ibc_core.address import Address
from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.height import Height
from ibc_core.host.confined import opened
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import AcknowledgementV2, Payload


class OpenedSender:
    """A shipped middleware's sender."""

    __slots__ = ("_sender",)

    def __init__(self, sender: PacketSender) -> None:
        self._sender = sender

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Sends a packet; returns its sequence."""
        block = opened(ctx)
        return self._sender.send_packet(
            block, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data
        )

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet."""
        self._sender.write_acknowledgement(opened(ctx), packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes an end of a channel."""
        self._sender.close_channel(opened(ctx), port_id, channel_id)


class OpenedSenderV2:
    """The same for IBC v2."""

    __slots__ = ("_sender",)

    def __init__(self, sender: PacketSenderV2) -> None:
        self._sender = sender

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Sends a packet; returns its sequence."""
        return self._sender.send_packet(opened(ctx), client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet."""
        self._sender.write_acknowledgement(opened(ctx), client_id_on_b, sequence, acknowledgement)
