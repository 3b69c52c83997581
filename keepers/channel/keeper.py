"""Channel ends and their sequences (ICS-4).

Writes `channelEnds/`, `nextSequence*` and the channel counter.
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
