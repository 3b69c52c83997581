"""State of ICS-4: channel ends, sequences, packet commitments, receipts and acknowledgements.

`ChannelKeeper` writes `channelEnds/`, `nextSequence*` and the channel counter; `PacketKeeper` writes
`commitments/`, `receipts/` and `acks/`.
"""

from keepers import sequences
from pyibc.core import paths
from pyibc.core.channel.types import ChannelEnd, ChannelState
from pyibc.core.errors import (
    ChannelNotFound,
    InvalidChannelState,
    SequenceAckNotFound,
    SequenceReceiveNotFound,
    SequenceSendNotFound,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.types import RECEIPT, Packet, acknowledgement_commitment, packet_commitment
from pyibc.core.wire import states


class ChannelKeeper:
    """The channels of this chain."""

    def get(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
        """Return the channel end `port_id`/`channel_id`.

        Raises:
            ChannelNotFound: there is no such channel.
        """
        raw = ctx.ibc.get(paths.channel_path(port_id, channel_id))
        if raw is None:
            raise ChannelNotFound(port_id, channel_id)
        return states.decode_channel_end(raw)

    def has(self, ctx: ReadContext, port_id: str, channel_id: str) -> bool:
        """Return whether the channel end `port_id`/`channel_id` exists."""
        return ctx.ibc.has(paths.channel_path(port_id, channel_id))

    def get_open(self, ctx: ReadContext, port_id: str, channel_id: str) -> ChannelEnd:
        """Return the OPEN channel end `port_id`/`channel_id`.

        Raises:
            ChannelNotFound: there is no such channel.
            InvalidChannelState: the channel is not OPEN.
        """
        end = self.get(ctx, port_id, channel_id)
        if end.state is not ChannelState.OPEN:
            raise InvalidChannelState(f"{port_id}/{channel_id}", ChannelState.OPEN.name, end.state.name)
        return end

    def set(self, ctx: WriteContext, port_id: str, channel_id: str, end: ChannelEnd) -> None:
        """Write a channel end."""
        ctx.ibc.set(paths.channel_path(port_id, channel_id), states.encode_channel_end(end))

    def next_channel_id(self, ctx: WriteContext) -> str:
        """Return a new identifier, `channel-{N}`, incrementing the counter."""
        return f"channel-{sequences.increment(ctx, paths.NEXT_CHANNEL_SEQUENCE)}"

    def start_sequences(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Set all three sequences of a new channel to 1."""
        sequences.write(ctx, paths.next_sequence_send_path(port_id, channel_id), 1)
        sequences.write(ctx, paths.next_sequence_recv_path(port_id, channel_id), 1)
        sequences.write(ctx, paths.next_sequence_ack_path(port_id, channel_id), 1)

    def next_send(self, ctx: ReadContext, port_id: str, channel_id: str) -> int:
        """Return the sequence of the next packet to send.

        Raises:
            SequenceSendNotFound: the channel has no such sequence.
        """
        number = sequences.read(ctx, paths.next_sequence_send_path(port_id, channel_id))
        if number is None:
            raise SequenceSendNotFound(port_id, channel_id)
        return number

    def set_next_send(self, ctx: WriteContext, port_id: str, channel_id: str, number: int) -> None:
        """Write the sequence of the next packet to send."""
        sequences.write(ctx, paths.next_sequence_send_path(port_id, channel_id), number)

    def next_recv(self, ctx: ReadContext, port_id: str, channel_id: str) -> int:
        """Return the sequence of the next packet to receive on an ordered channel.

        Raises:
            SequenceReceiveNotFound: the channel has no such sequence.
        """
        number = sequences.read(ctx, paths.next_sequence_recv_path(port_id, channel_id))
        if number is None:
            raise SequenceReceiveNotFound(port_id, channel_id)
        return number

    def set_next_recv(self, ctx: WriteContext, port_id: str, channel_id: str, number: int) -> None:
        """Write the sequence of the next packet to receive on an ordered channel."""
        sequences.write(ctx, paths.next_sequence_recv_path(port_id, channel_id), number)

    def next_ack(self, ctx: ReadContext, port_id: str, channel_id: str) -> int:
        """Return the sequence of the next packet to acknowledge on an ordered channel.

        Raises:
            SequenceAckNotFound: the channel has no such sequence.
        """
        number = sequences.read(ctx, paths.next_sequence_ack_path(port_id, channel_id))
        if number is None:
            raise SequenceAckNotFound(port_id, channel_id)
        return number

    def set_next_ack(self, ctx: WriteContext, port_id: str, channel_id: str, number: int) -> None:
        """Write the sequence of the next packet to acknowledge on an ordered channel."""
        sequences.write(ctx, paths.next_sequence_ack_path(port_id, channel_id), number)


class PacketKeeper:
    """The packets of this chain's channels."""

    def commitment(self, ctx: ReadContext, packet: Packet) -> bytes | None:
        """Return chain A's packet commitment; None if not sent yet, or already acknowledged or timed out."""
        return ctx.ibc.get(_commitment_path(packet))

    def commit(self, ctx: WriteContext, packet: Packet) -> None:
        """Write chain A's packet commitment."""
        ctx.ibc.set(_commitment_path(packet), packet_commitment(packet))

    def delete_commitment(self, ctx: WriteContext, packet: Packet) -> None:
        """Delete chain A's packet commitment, after acknowledgement or timeout."""
        ctx.ibc.delete(_commitment_path(packet))

    def has_receipt(self, ctx: ReadContext, packet: Packet) -> bool:
        """Return whether chain B has a receipt of the packet (unordered channels)."""
        return ctx.ibc.get(_receipt_path(packet)) is not None

    def set_receipt(self, ctx: WriteContext, packet: Packet) -> None:
        """Write chain B's packet receipt."""
        ctx.ibc.set(_receipt_path(packet), RECEIPT)

    def has_acknowledgement(self, ctx: ReadContext, packet: Packet) -> bool:
        """Return whether chain B has written an acknowledgement of the packet."""
        return ctx.ibc.has(_acknowledgement_path(packet))

    def set_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Write chain B's acknowledgement commitment."""
        ctx.ibc.set(_acknowledgement_path(packet), acknowledgement_commitment(acknowledgement))


def _commitment_path(packet: Packet) -> bytes:
    return paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)


def _receipt_path(packet: Packet) -> bytes:
    return paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)


def _acknowledgement_path(packet: Packet) -> bytes:
    return paths.packet_acknowledgement_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
