"""Packet commitments, receipts and acknowledgements (ICS-4). The only writer of those paths."""

from ibc_core import paths
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import RECEIPT, Packet, acknowledgement_commitment, packet_commitment


class PacketKeeper:
    """The packets of this chain's channels."""

    def commitment(self, ctx: ReadContext, packet: Packet) -> bytes | None:
        """Chain A's commitment to the packet; None: never sent, or acknowledged or timed out."""
        return ctx.ibc.get(
            paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
        )

    def commit(self, ctx: WriteContext, packet: Packet) -> None:
        """Writes chain A's commitment to a packet."""
        ctx.ibc.set(
            paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence),
            packet_commitment(packet),
        )

    def delete_commitment(self, ctx: WriteContext, packet: Packet) -> None:
        """Deletes chain A's commitment: the packet is acknowledged or timed out."""
        ctx.ibc.delete(
            paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
        )

    def has_receipt(self, ctx: ReadContext, packet: Packet) -> bool:
        """Whether chain B received the packet (unordered channels)."""
        return (
            ctx.ibc.get(
                paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
            )
            is not None
        )

    def set_receipt(self, ctx: WriteContext, packet: Packet) -> None:
        """Writes chain B's receipt of the packet."""
        ctx.ibc.set(
            paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence), RECEIPT
        )

    def has_acknowledgement(self, ctx: ReadContext, packet: Packet) -> bool:
        """Whether chain B acknowledged the packet."""
        return ctx.ibc.has(
            paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
        )

    def set_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Writes chain B's commitment to the acknowledgement."""
        ctx.ibc.set(
            paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence),
            acknowledgement_commitment(acknowledgement),
        )
