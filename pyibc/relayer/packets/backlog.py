"""Backlog: the pending packets of each channel according to both chains' blocks. No IO, no clock.

Every block is read once. The backlog depends on committed blocks alone, not on messages that this relayer has
submitted, so any number of relayers may serve the same channels.
"""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from pyibc.core.host.block import CommittedBlock, Event
from pyibc.core.packet.events import PACKET_EVENTS, RECV_PACKET, WRITE_ACKNOWLEDGEMENT
from pyibc.relayer.packets.packets import UNREADABLE, name_on_a, name_on_b, read_event
from pyibc.relayer.packets.pending_packets import PendingPackets, Stage
from pyibc.relayer.packets.task import TaskKey, TaskKind
from pyibc.relayer.paths.path import SIDES, AnyPath, EndName, Side, other

CLOSING = frozenset({"channel_close", "channel_close_init", "channel_close_confirm"})
_ON_RECEIVER = frozenset({RECV_PACKET, WRITE_ACKNOWLEDGEMENT})
_BY_EVENT = frozenset({TaskKind.RECV, TaskKind.ACKNOWLEDGE})
"""Messages required by an event of a block; timeouts are required by the passing of time."""


class ChannelBacklog:
    """Pending packets of one channel, or pair of clients, in both directions, and its closed ends."""

    def __init__(self, path: AnyPath) -> None:
        """Start with no packets on an open path."""
        self.path = path
        self.pending = (PendingPackets(path.order), PendingPackets(path.order))  # by the sender's side
        self.closed_at: list[int | None] = [None, None]  # by side: height at which the end was closed

    def sent_from(self, sender: Side) -> PendingPackets:
        """Return the pending packets sent from one side."""
        return self.pending[sender]


class Backlog:
    """Pending packets of all channels and pairs of clients between two chains."""

    def __init__(self, paths: Sequence[AnyPath]) -> None:
        """Start with no packets on `paths`, which connect the same two chains."""
        self.channels = [ChannelBacklog(path) for path in paths]
        self.unreadable = 0  # packet events that could not be read
        self._by_end: dict[tuple[Side, EndName], ChannelBacklog] = {
            (side, channel.path.end(side).name): channel for channel in self.channels for side in SIDES
        }

    def observe(self, side: Side, block: CommittedBlock) -> None:
        """Apply one block of one side; the blocks of a side must be applied in order."""
        for event in events_of(block):
            if event[0] in CLOSING:
                self._close(side, event, block.height)
            elif event[0] in PACKET_EVENTS:
                self._packet(side, event, block.height)

    def names(self, side: Side) -> frozenset[EndName]:
        """Return the names of the paths' ends on one side."""
        return frozenset(channel.path.end(side).name for channel in self.channels)

    @property
    def is_changed(self) -> bool:
        """Return whether there are changes to save."""
        return any(sent.changed for channel in self.channels for sent in channel.pending)

    @property
    def pending(self) -> int:
        """Number of pending packets."""
        return sum(len(sent.packets) for channel in self.channels for sent in channel.pending)

    def is_due(self, key: TaskKey) -> bool:
        """Return whether a task may still be needed: its packet is in the stage that requires the message."""
        channel = self.channels[key.channel]
        if key.kind is TaskKind.CLOSE_CONFIRM:
            return channel.closed_at[key.target] is None
        pending = channel.sent_from(key.sender).packets.get(key.sequence)
        stage = Stage.ACKNOWLEDGED if key.kind is TaskKind.ACKNOWLEDGE else Stage.SENT
        return pending is not None and pending.stage is stage

    def is_new(self, key: TaskKey, height: int) -> bool:
        """Return whether an event of block `height`, and none before, requires a task of a known packet."""
        sent = self.channels[key.channel].sent_from(key.sender)
        return key.kind in _BY_EVENT and sent.packets[key.sequence].height == height

    def _close(self, side: Side, event: Event, height: int) -> None:
        attributes = dict(event[1])
        name = attributes.get("port_id", ""), attributes.get("channel_id", "")
        channel = self._by_end.get((side, name))
        if channel is not None and channel.closed_at[side] is None:
            channel.closed_at[side] = height

    def _packet(self, side: Side, event: Event, height: int) -> None:
        try:
            observed = read_event(event)
        except UNREADABLE:
            self.unreadable += 1
            return
        if observed is None:
            return
        sender = other(side) if observed.kind in _ON_RECEIVER else side
        channel = self._by_end.get((sender, name_on_a(observed.packet)))
        if channel is not None and name_on_b(observed.packet) == channel.path.end(other(sender)).name:
            channel.sent_from(sender).observe(observed, height)


def events_of(block: CommittedBlock) -> Iterator[Event]:
    """Yield the events of a block: those of successful transactions, then the block's own."""
    for outcome in block.txs:
        if outcome.code == 0:
            yield from outcome.events
    yield from block.block_events


# -- pending packets of a path and direction as numbers, and its deferred messages


class PendingCount(NamedTuple):
    """Number of pending packets from one channel end, client or queue end to the other."""

    src_chain: str
    dst_chain: str
    end: str  # on the sending chain: `port/channel`, a client id, or a queue end
    packets: int
    oldest: int  # lowest sequence; 0: none, or unknown
    received: int = 0  # those whose acknowledgement is not relayed yet


class DeferredMessage(NamedTuple):
    """Message of a pending packet that is deferred, by a filter or for its price."""

    src_chain: str
    end: str  # as in `PendingCount`
    message: str  # `recv`, `acknowledge`, `timeout`, ...
    sequence: int
    reason: str


def pending_counts(backlog: Backlog) -> list[PendingCount]:
    """Return the counts of all paths of a backlog, in both directions."""
    return [
        PendingCount(
            channel.path.end(side).chain_id,
            channel.path.end(other(side)).chain_id,
            "/".join(channel.path.end(side).name),
            len(sent.packets),
            sent.oldest(),
            len(sent.packets) - sent.count(Stage.SENT),
        )
        for channel in backlog.channels
        for side in SIDES
        for sent in (channel.sent_from(side),)
    ]


def pending_from(backlog: Backlog, chain_id: str, name: str) -> Set[int] | None:
    """Return the sequences of pending packets from a channel or client of a chain; None: there is no such."""
    for channel in backlog.channels:
        for side in SIDES:
            end = channel.path.end(side)
            if (end.chain_id, end.name[-1]) == (chain_id, name):
                return channel.sent_from(side).packets.keys()
    return None
