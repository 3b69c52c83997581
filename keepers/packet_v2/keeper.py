"""Sequences, commitments, receipts and acknowledgements of IBC v2's packets: their only writer."""

from ibc_core import paths
from ibc_core.errors import InvalidAcknowledgementV2, SequenceSendNotFoundV2
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet_v2 import states as states_v2
from ibc_core.packet_v2.types import (
    RECEIPT,
    AcknowledgementV2,
    PacketV2,
    acknowledgement_commitment,
    packet_commitment,
)
from keepers import sequences


class PacketKeeperV2:
    """The packets of this chain's clients."""

    def next_send(self, ctx: ReadContext, client_id_on_a: str) -> int:
        """The sequence of the next packet sent over the client.

        Raises:
            SequenceSendNotFoundV2: the client has none.
        """
        number = sequences.read(ctx, paths.next_sequence_send_v2_path(client_id_on_a))
        if number is None:
            raise SequenceSendNotFoundV2(client_id_on_a)
        return number

    def set_next_send(self, ctx: WriteContext, client_id_on_a: str, number: int) -> None:
        """Writes the sequence of the next packet sent over the client."""
        sequences.write(ctx, paths.next_sequence_send_v2_path(client_id_on_a), number)

    def commitment(self, ctx: ReadContext, packet: PacketV2) -> bytes | None:
        """Chain A's commitment to the packet; None: never sent, or acknowledged or timed out."""
        return ctx.ibc.get(paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence))

    def commit(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Writes chain A's commitment to a packet."""
        path = paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence)
        ctx.ibc.set(path, packet_commitment(packet))

    def delete_commitment(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Deletes chain A's commitment: the packet is acknowledged or timed out."""
        ctx.ibc.delete(paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence))

    def has_receipt(self, ctx: ReadContext, packet: PacketV2) -> bool:
        """Whether chain B received the packet."""
        return ctx.ibc.has(paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence))

    def set_receipt(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Writes chain B's receipt of the packet."""
        ctx.ibc.set(paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence), RECEIPT)

    def has_acknowledgement(self, ctx: ReadContext, packet: PacketV2) -> bool:
        """Whether chain B acknowledged the packet."""
        return ctx.ibc.has(paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence))

    def set_acknowledgement(
        self, ctx: WriteContext, packet: PacketV2, acknowledgement: AcknowledgementV2
    ) -> None:
        """Writes chain B's commitment to the acknowledgement."""
        path = paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence)
        ctx.ibc.set(path, acknowledgement_commitment(acknowledgement))

    def unanswered(self, ctx: ReadContext, client_id_on_b: str, sequence: int) -> PacketV2:
        """A packet that chain B received and has not acknowledged yet.

        Raises:
            InvalidAcknowledgementV2: there is no such packet.
        """
        raw = ctx.ibc.get(paths.async_packet_path(client_id_on_b, sequence))
        if raw is None:
            raise InvalidAcknowledgementV2(f"no packet {client_id_on_b}/{sequence} waits for one")
        return states_v2.decode_packet(raw)

    def keep_unanswered(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Stores a packet that chain B will acknowledge later."""
        path = paths.async_packet_path(packet.client_id_on_b, packet.sequence)
        ctx.ibc.set(path, states_v2.encode_packet(packet))

    def delete_unanswered(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Deletes a stored packet, now acknowledged."""
        ctx.ibc.delete(paths.async_packet_path(packet.client_id_on_b, packet.sequence))
