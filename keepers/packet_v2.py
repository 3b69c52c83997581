"""State of IBC v2 packets: sequences, commitments, receipts and acknowledgements."""

from keepers import sequences
from pyibc.core import paths
from pyibc.core.errors import InvalidAcknowledgementV2, SequenceSendNotFoundV2
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet_v2 import types as states_v2
from pyibc.core.packet_v2.types import (
    RECEIPT,
    AcknowledgementV2,
    PacketV2,
    acknowledgement_commitment,
    packet_commitment,
)


class PacketKeeperV2:
    """The IBC v2 packets of this chain's clients."""

    def next_send(self, ctx: ReadContext, client_id_on_a: str) -> int:
        """Return the sequence of the next packet to send over the client.

        Raises:
            SequenceSendNotFoundV2: the client has no such sequence.
        """
        number = sequences.read(ctx, paths.next_sequence_send_v2_path(client_id_on_a))
        if number is None:
            raise SequenceSendNotFoundV2(client_id_on_a)
        return number

    def set_next_send(self, ctx: WriteContext, client_id_on_a: str, number: int) -> None:
        """Write the sequence of the next packet to send over the client."""
        sequences.write(ctx, paths.next_sequence_send_v2_path(client_id_on_a), number)

    def commitment(self, ctx: ReadContext, packet: PacketV2) -> bytes | None:
        """Return chain A's packet commitment; None if not sent yet, or already acknowledged or timed out."""
        return ctx.ibc.get(paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence))

    def commit(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Write chain A's packet commitment."""
        path = paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence)
        ctx.ibc.set(path, packet_commitment(packet))

    def delete_commitment(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Delete chain A's packet commitment, after acknowledgement or timeout."""
        ctx.ibc.delete(paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence))

    def has_receipt(self, ctx: ReadContext, packet: PacketV2) -> bool:
        """Return whether chain B has a receipt of the packet."""
        return ctx.ibc.has(paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence))

    def set_receipt(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Write chain B's packet receipt."""
        ctx.ibc.set(paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence), RECEIPT)

    def has_acknowledgement(self, ctx: ReadContext, packet: PacketV2) -> bool:
        """Return whether chain B has written an acknowledgement of the packet."""
        return ctx.ibc.has(paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence))

    def set_acknowledgement(
        self, ctx: WriteContext, packet: PacketV2, acknowledgement: AcknowledgementV2
    ) -> None:
        """Write chain B's acknowledgement commitment."""
        path = paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence)
        ctx.ibc.set(path, acknowledgement_commitment(acknowledgement))

    def async_packet(self, ctx: ReadContext, client_id_on_b: str, sequence: int) -> PacketV2:
        """Return a packet awaiting an asynchronous acknowledgement on chain B.

        Raises:
            InvalidAcknowledgementV2: no such packet awaits an acknowledgement.
        """
        raw = ctx.ibc.get(paths.async_packet_path(client_id_on_b, sequence))
        if raw is None:
            raise InvalidAcknowledgementV2(f"no packet {client_id_on_b}/{sequence} awaits one")
        return states_v2.decode_packet(raw)

    def set_async_packet(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Store a packet that chain B will acknowledge asynchronously."""
        path = paths.async_packet_path(packet.client_id_on_b, packet.sequence)
        ctx.ibc.set(path, states_v2.encode_packet(packet))

    def delete_async_packet(self, ctx: WriteContext, packet: PacketV2) -> None:
        """Delete a stored packet after its acknowledgement."""
        ctx.ibc.delete(paths.async_packet_path(packet.client_id_on_b, packet.sequence))
