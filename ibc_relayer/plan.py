"""The plan: backlog and heads in, tasks out (ICS-18 `pendingDatagrams`). No IO, no clock.

The state after block H is proven against the app hash in header H + 1. With header T of the prover on the
target's client, the plan therefore has the messages that the prover's blocks up to T - 1 require.
"""

from collections.abc import Iterator, Set
from itertools import filterfalse, zip_longest
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_core.height import Height
from ibc_relayer.backlog import Backlog, ChannelBacklog
from ibc_relayer.packets import AnyPacket, elapsed
from ibc_relayer.path import Side, other
from ibc_relayer.pending_packets import PendingPacket, PendingPackets, Stage
from ibc_relayer.task import Held, Kind, Task, TaskKey


class Head(NamedTuple):
    """A chain's last header, whose app hash proves the state one block below."""

    height: Height
    time_ns: int

    @property
    def proves(self) -> int:
        """Height of the last block whose effects this header proves."""
        return self.height.revision_height - 1


class _ChannelView(NamedTuple):
    """One channel as seen from the chain that messages are submitted to."""

    number: int  # index of the channel in the backlog
    channel: ChannelBacklog
    target: Side
    here: Head  # of the target
    there: Head  # of the prover
    excluded: Held

    @property
    def ordered(self) -> bool:
        return self.channel.path.order == Order.ORDERED

    def key(self, kind: Kind, sequence: int) -> TaskKey:
        return TaskKey(kind, self.number, self.target, sequence)

    def held(self, kind: Kind) -> Set[int]:
        return self.excluded.of(kind, self.number, self.target)

    def task(self, kind: Kind, packet: AnyPacket | None = None, acknowledgement: bytes = b"") -> Task:
        near, far = self.channel.path.end(self.target), self.channel.path.end(other(self.target))
        sequence = packet.sequence if packet else 0
        return Task(self.key(kind, sequence), near, far, self.ordered, packet, acknowledgement)


def plan(backlog: Backlog, heads: tuple[Head, Head], target: Side, excluded: Held, limit: int) -> list[Task]:
    """Messages for the chain on side `target`, at most `limit`; channels take turns.

    Args:
        backlog: of both chains' blocks up to `heads`.
        heads: the last headers of `a` and `b`.
        target: the chain that the messages are submitted to.
        excluded: tasks to leave out this time; on an ordered channel those after one of them wait too.
        limit: number of messages; the rest is left to the next plan.
    """
    here, there = heads[target], heads[other(target)]
    queues = [
        _channel(_ChannelView(number, channel, target, here, there, excluded))
        for number, channel in enumerate(backlog.channels)
    ]
    tasks: list[Task] = []
    for turn in zip_longest(*queues):
        tasks += [task for task in turn if task is not None]
        if len(tasks) >= limit:
            return tasks[:limit]
    return tasks


def _channel(view: _ChannelView) -> Iterator[Task]:
    """A channel's messages; ChanCloseConfirm once nothing else is left to do at this end."""
    busy = False
    for task in _packets(view):
        busy = True
        yield task
    if not busy and _close_is_due(view):
        yield view.task(Kind.CLOSE_CONFIRM)


def _packets(view: _ChannelView) -> Iterator[Task]:
    incoming = view.channel.sent_from(other(view.target))
    outgoing = view.channel.sent_from(view.target)
    if view.channel.closed_at[view.target] is None:
        yield from _receives(view, incoming)
        yield from _acknowledgements(view, outgoing)
    yield from _timeouts(view, outgoing)


def _receives(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    if view.ordered:
        yield from _receives_in_order(view, sent)
        return
    held = view.held(Kind.RECV)
    for sequence in filterfalse(held.__contains__, sent.sequences(Stage.SENT)):
        if _is_ready(view, sent.packets[sequence]):
            yield view.task(Kind.RECV, sent.packets[sequence].packet)


def _receives_in_order(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    held, expected = view.held(Kind.RECV), sent.next_sequence_recv
    for sequence in sent.sequences(Stage.SENT):
        if sequence != expected or sequence in held or not _is_ready(view, sent.packets[sequence]):
            return
        yield view.task(Kind.RECV, sent.packets[sequence].packet)
        expected += 1


def _acknowledgements(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    held, proves = view.held(Kind.ACKNOWLEDGE), view.there.proves
    if view.ordered:
        yield from _acknowledgements_in_order(view, sent, held)
        return
    for sequence in filterfalse(held.__contains__, sent.sequences(Stage.ACKNOWLEDGED)):
        pending = sent.packets[sequence]
        if pending.height <= proves:
            yield view.task(Kind.ACKNOWLEDGE, pending.packet, pending.acknowledgement)


def _acknowledgements_in_order(view: _ChannelView, sent: PendingPackets, held: Set[int]) -> Iterator[Task]:
    unanswered = sent.first_unanswered()
    for sequence in sent.sequences(Stage.ACKNOWLEDGED):
        pending = sent.packets[sequence]
        is_too_early = unanswered is not None and sequence > unanswered
        if is_too_early or sequence in held or pending.height > view.there.proves:
            return
        yield view.task(Kind.ACKNOWLEDGE, pending.packet, pending.acknowledgement)


def _timeouts(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    closed_at = view.channel.closed_at[other(view.target)]
    closed = closed_at is not None and closed_at <= view.there.proves
    kind = Kind.TIMEOUT_ON_CLOSE if closed else Kind.TIMEOUT
    due = sent.sequences(Stage.SENT) if closed else sent.due(view.there.height, view.there.time_ns)
    held = view.held(kind)
    for sequence in due:
        if sequence not in held:
            yield view.task(kind, sent.packets[sequence].packet)


def _is_ready(view: _ChannelView, pending: PendingPacket) -> bool:
    """Whether its commitment can be proven, and it will not have timed out in the target's next block."""
    revision, height = view.here.height
    if pending.height > view.there.proves:
        return False
    return not elapsed(pending.packet, Height(revision, height + 1), view.here.time_ns)


def _close_is_due(view: _ChannelView) -> bool:
    there = view.channel.closed_at[other(view.target)]
    if there is None or there > view.there.proves or view.channel.closed_at[view.target] is not None:
        return False
    return view.key(Kind.CLOSE_CONFIRM, 0) not in view.excluded
