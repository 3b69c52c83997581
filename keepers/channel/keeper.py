"""What ICS-4 keeps: channel ends and their sequences, and the packets that go over them.

`ChannelKeeper` writes `channelEnds/`, `nextSequence*` and the channel counter; `PacketKeeper` writes
`commitments/`, `receipts/` and `acks/`.
"""

from ibc_core import paths
from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.errors import (
    ChannelNotFound,
    InvalidChannelState,
    SequenceAckNotFound,
    SequenceReceiveNotFound,
    SequenceSendNotFound,
)
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import RECEIPT, Packet, acknowledgement_commitment, packet_commitment
from ibc_core.wire import states
from keepers import sequences


class ChannelKeeper:
    """The channels of this chain."""

    def get(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
        """The end called `port_id`/`channel_id`.

        Raises:
            ChannelNotFound: there is none.
        """
        raw = ctx.ibc.get(paths.channel_path(port_id, channel_id))
        if raw is None:
            raise ChannelNotFound(port_id, channel_id)
        return states.decode_channel_end(raw)

    def has(self, ctx: ReadContext, port_id: str, channel_id: str) -> bool:
        """Whether there is an end called `port_id`/`channel_id`."""
        return ctx.ibc.has(paths.channel_path(port_id, channel_id))

    def get_open(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
        """The end called `port_id`/`channel_id`, which is OPEN.

        Raises:
            ChannelNotFound: there is none.
            InvalidChannelState: it is not OPEN.
        """
        end = self.get(ctx, port_id, channel_id)
        if end.state is not ChannelState.OPEN:
            raise InvalidChannelState(f"{port_id}/{channel_id}", ChannelState.OPEN.name, end.state.name)
        return end

    def set(self, ctx: WriteContext, port_id: str, channel_id: str, end: ChannelEnd) -> None:
        """Writes an end."""
        ctx.ibc.set(paths.channel_path(port_id, channel_id), states.encode_channel_end(end))

    def next_channel_id(self, ctx: WriteContext) -> str:
        """A new identifier, `channel-{N}`."""
        return f"channel-{sequences.take(ctx, paths.NEXT_CHANNEL_SEQUENCE)}"

    def start_sequences(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Sets all three sequences of a new channel to 1."""
        sequences.write(ctx, paths.next_sequence_send_path(port_id, channel_id), 1)
        sequences.write(ctx, paths.next_sequence_recv_path(port_id, channel_id), 1)
        sequences.write(ctx, paths.next_sequence_ack_path(port_id, channel_id), 1)

    def next_send(self, ctx: ReadContext, port_id: str, channel_id: str) -> int:
        """The sequence of the next packet sent.

        Raises:
            SequenceSendNotFound: the channel has none.
        """
        number = sequences.read(ctx, paths.next_sequence_send_path(port_id, channel_id))
        if number is None:
            raise SequenceSendNotFound(port_id, channel_id)
        return number

    def set_next_send(self, ctx: WriteContext, port_id: str, channel_id: str, number: int) -> None:
        """Writes the sequence of the next packet sent."""
        sequences.write(ctx, paths.next_sequence_send_path(port_id, channel_id), number)

    def next_recv(self, ctx: ReadContext, port_id: str, channel_id: str) -> int:
        """The sequence of the next packet received in order.

        Raises:
            SequenceReceiveNotFound: the channel has none.
        """
        number = sequences.read(ctx, paths.next_sequence_recv_path(port_id, channel_id))
        if number is None:
            raise SequenceReceiveNotFound(port_id, channel_id)
        return number

    def set_next_recv(self, ctx: WriteContext, port_id: str, channel_id: str, number: int) -> None:
        """Writes the sequence of the next packet received in order."""
        sequences.write(ctx, paths.next_sequence_recv_path(port_id, channel_id), number)

    def next_ack(self, ctx: ReadContext, port_id: str, channel_id: str) -> int:
        """The sequence of the next packet acknowledged in order.

        Raises:
            SequenceAckNotFound: the channel has none.
        """
        number = sequences.read(ctx, paths.next_sequence_ack_path(port_id, channel_id))
        if number is None:
            raise SequenceAckNotFound(port_id, channel_id)
        return number

    def set_next_ack(self, ctx: WriteContext, port_id: str, channel_id: str, number: int) -> None:
        """Writes the sequence of the next packet acknowledged in order."""
        sequences.write(ctx, paths.next_sequence_ack_path(port_id, channel_id), number)


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
