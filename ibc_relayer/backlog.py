"""The backlog: per channel, what is still to be relayed according to both chains' blocks. No IO, no clock.

Every block is read once. The backlog depends on committed blocks alone, never on what this relayer has
submitted: that is why any number of relayers may serve the same channels.
"""

from collections.abc import Iterator, Sequence

from ibc_core.host.block import CommittedBlock
from ibc_core.host.events import Event
from ibc_core.packet.event_reader import PACKET_EVENTS, RECV_PACKET, WRITE_ACKNOWLEDGEMENT
from ibc_relayer.packets import UNREADABLE, name_on_a, name_on_b, read_event
from ibc_relayer.path import SIDES, AnyPath, EndName, Side, other
from ibc_relayer.pending_packets import PendingPackets

CLOSING = frozenset({"channel_close", "channel_close_init", "channel_close_confirm"})
_ON_RECEIVER = frozenset({RECV_PACKET, WRITE_ACKNOWLEDGEMENT})


class ChannelBacklog:
    """One channel, or pair of clients: the pending packets each way, and which ends are closed."""

    def __init__(self, path: AnyPath) -> None:
        """An empty backlog of an open path."""
        self.path = path
        self.pending = (PendingPackets(path.order), PendingPackets(path.order))  # by the sender's side
        self.closed_at: list[int | None] = [None, None]  # by side: height at which the end was closed

    def sent_from(self, sender: Side) -> PendingPackets:
        """The pending packets sent from one side."""
        return self.pending[sender]


class Backlog:
    """All channels and pairs of clients between two chains."""

    def __init__(self, paths: Sequence[AnyPath]) -> None:
        """An empty backlog of `paths`, which connect the same two chains."""
        self.channels = [ChannelBacklog(path) for path in paths]
        self.unreadable = 0  # packet events that could not be read
        self._by_end: dict[tuple[Side, EndName], ChannelBacklog] = {
            (side, channel.path.end(side).name): channel for channel in self.channels for side in SIDES
        }

    def observe(self, side: Side, block: CommittedBlock) -> None:
        """Applies one block of one side; the blocks of a side must come in order."""
        for event in events_of(block):
            if event[0] in CLOSING:
                self._close(side, event, block.height)
            elif event[0] in PACKET_EVENTS:
                self._packet(side, event, block.height)

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to be saved."""
        return any(sent.changed for channel in self.channels for sent in channel.pending)

    @property
    def pending(self) -> int:
        """Number of pending packets."""
        return sum(len(sent.packets) for channel in self.channels for sent in channel.pending)

    def _close(self, side: Side, event: Event, height: int) -> None:
        attributes = dict(event[1])
        name = attributes.get("port_id", ""), attributes.get("channel_id", "")
        channel = self._by_end.get((side, name))
        if channel is not None and channel.closed_at[side] is None:
            channel.closed_at[side] = height

    def _packet(self, side: Side, event: Event, height: int) -> None:
        try:
            seen = read_event(event)
        except UNREADABLE:
            self.unreadable += 1
            return
        if seen is None:
            return
        sender = other(side) if seen.kind in _ON_RECEIVER else side
        channel = self._by_end.get((sender, name_on_a(seen.packet)))
        if channel is not None and name_on_b(seen.packet) == channel.path.end(other(sender)).name:
            channel.sent_from(sender).observe(seen, height)


def events_of(block: CommittedBlock) -> Iterator[Event]:
    """The events of a block: its own and those of successful transactions."""
    for outcome in block.txs:
        if outcome.code == 0:
            yield from outcome.events
    yield from block.block_events
