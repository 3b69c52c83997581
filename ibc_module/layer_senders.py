"""What middleware puts between applications and the module, called with what its plugin may see of a block.

A stranger's has a confined context for each call. What this distribution ships has the block's own, also
where a stranger's middleware below it calls with a confined one.
"""

from contextlib import AbstractContextManager, nullcontext

from ibc_core.address import Address
from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.height import Height
from ibc_core.host.confined import ConfinedCall, Grant, opened
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import AcknowledgementV2, Payload


def _entered(ctx: WriteContext, grant: Grant | None) -> AbstractContextManager[WriteContext]:
    return nullcontext(opened(ctx)) if grant is None else ConfinedCall(ctx, grant)


class LayerSender:
    """A middleware's sender; `grant` is its plugin's, None of what this distribution ships."""

    __slots__ = ("_grant", "_sender")

    def __init__(self, sender: PacketSender, grant: Grant | None) -> None:
        self._sender = sender
        self._grant = grant

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
        with _entered(ctx, self._grant) as own:
            return self._sender.send_packet(
                own, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data
            )

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet."""
        with _entered(ctx, self._grant) as own:
            self._sender.write_acknowledgement(own, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes an end of a channel."""
        with _entered(ctx, self._grant) as own:
            self._sender.close_channel(own, port_id, channel_id)


class LayerSenderV2:
    """The same for IBC v2."""

    __slots__ = ("_grant", "_sender")

    def __init__(self, sender: PacketSenderV2, grant: Grant | None) -> None:
        self._sender = sender
        self._grant = grant

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Sends a packet; returns its sequence."""
        with _entered(ctx, self._grant) as own:
            return self._sender.send_packet(own, client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet."""
        with _entered(ctx, self._grant) as own:
            self._sender.write_acknowledgement(own, client_id_on_b, sequence, acknowledgement)
