"""Plan: tasks from a backlog and both heads (ICS-18 `pendingDatagrams`). No IO, no clock.

The state after block H is proven against the app hash in header H + 1. With header T of the prover on the
target's client, the plan therefore has the messages required by the prover's blocks up to T - 1.
"""

from collections.abc import Iterator, Set
from itertools import filterfalse, zip_longest
from typing import NamedTuple

from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.relayer.packets.backlog import Backlog, ChannelBacklog
from pyibc.relayer.packets.packets import AnyPacket, elapsed
from pyibc.relayer.packets.pending_packets import PendingPacket, PendingPackets, Stage
from pyibc.relayer.packets.task import Task, TaskKey, TaskKind, TaskSet
from pyibc.relayer.paths.path import Side, other


class Head(NamedTuple):
    """Last header of a chain; its app hash proves the state one block below."""

    height: Height
    time_ns: int

    @property
    def proves(self) -> int:
        """Height of the last block whose state this header proves."""
        return self.height.revision_height - 1

    @property
    def following(self) -> "Head":
        """Next header, with the time of this one."""
        return self._replace(height=Height(self.height.revision_number, self.height.revision_height + 1))


class _ChannelView(NamedTuple):
    """Channel from the perspective of the chain that messages are submitted to."""

    number: int  # index of the channel in the backlog
    channel: ChannelBacklog
    target: Side
    here: Head  # of the target
    there: Head  # of the prover
    excluded: TaskSet

    @property
    def ordered(self) -> bool:
        return self.channel.path.order == Order.ORDERED

    def key(self, kind: TaskKind, sequence: int) -> TaskKey:
        return TaskKey(kind, self.number, self.target, sequence)

    def excluded_sequences(self, kind: TaskKind) -> Set[int]:
        return self.excluded.of(kind, self.number, self.target)

    def task(self, kind: TaskKind, packet: AnyPacket | None = None, acknowledgement: bytes = b"") -> Task:
        near, far = self.channel.path.end(self.target), self.channel.path.end(other(self.target))
        sequence = packet.sequence if packet else 0
        return Task(self.key(kind, sequence), near, far, self.ordered, packet, acknowledgement)


def plan(
    backlog: Backlog, heads: tuple[Head, Head], target: Side, excluded: TaskSet, limit: int
) -> list[Task]:
    """Return the messages for the chain on side `target`, at most `limit`; channels take turns.

    Args:
        backlog: of both chains' blocks up to `heads`.
        heads: the last headers of `a` and `b`.
        target: side of the chain that the messages are submitted to.
        excluded: tasks to leave out; on an ordered channel those after one of them are left out too.
        limit: maximum number of messages; the rest is left to the next plan.
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
    """Yield a channel's messages; ChanCloseConfirm once nothing else is left to do at this end."""
    busy = False
    for task in _packets(view):
        busy = True
        yield task
    if not busy and _close_is_due(view):
        yield view.task(TaskKind.CLOSE_CONFIRM)


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
    excluded = view.excluded_sequences(TaskKind.RECV)
    for sequence in filterfalse(excluded.__contains__, sent.sequences(Stage.SENT)):
        if _is_ready(view, sent.packets[sequence]):
            yield view.task(TaskKind.RECV, sent.packets[sequence].packet)


def _receives_in_order(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    excluded, expected = view.excluded_sequences(TaskKind.RECV), sent.next_sequence_recv
    for sequence in sent.sequences(Stage.SENT):
        if sequence != expected or sequence in excluded or not _is_ready(view, sent.packets[sequence]):
            return
        yield view.task(TaskKind.RECV, sent.packets[sequence].packet)
        expected += 1


def _acknowledgements(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    excluded, proves = view.excluded_sequences(TaskKind.ACKNOWLEDGE), view.there.proves
    if view.ordered:
        yield from _acknowledgements_in_order(view, sent, excluded)
        return
    for sequence in filterfalse(excluded.__contains__, sent.sequences(Stage.ACKNOWLEDGED)):
        pending = sent.packets[sequence]
        if pending.height <= proves:
            yield view.task(TaskKind.ACKNOWLEDGE, pending.packet, pending.acknowledgement)


def _acknowledgements_in_order(
    view: _ChannelView, sent: PendingPackets, excluded: Set[int]
) -> Iterator[Task]:
    unacknowledged = sent.first_unacknowledged()
    for sequence in sent.sequences(Stage.ACKNOWLEDGED):
        pending = sent.packets[sequence]
        is_too_early = unacknowledged is not None and sequence > unacknowledged
        if is_too_early or sequence in excluded or pending.height > view.there.proves:
            return
        yield view.task(TaskKind.ACKNOWLEDGE, pending.packet, pending.acknowledgement)


def _timeouts(view: _ChannelView, sent: PendingPackets) -> Iterator[Task]:
    closed_at = view.channel.closed_at[other(view.target)]
    closed = closed_at is not None and closed_at <= view.there.proves
    kind = TaskKind.TIMEOUT_ON_CLOSE if closed else TaskKind.TIMEOUT
    due = sent.sequences(Stage.SENT) if closed else sent.due(view.there.height, view.there.time_ns)
    excluded = view.excluded_sequences(kind)
    for sequence in due:
        if sequence not in excluded:
            yield view.task(kind, sent.packets[sequence].packet)


def _is_ready(view: _ChannelView, pending: PendingPacket) -> bool:
    """Return whether the commitment can be proven, and no timeout passes by the target's next block."""
    revision, height = view.here.height
    if pending.height > view.there.proves:
        return False
    return not elapsed(pending.packet, Height(revision, height + 1), view.here.time_ns)


def _close_is_due(view: _ChannelView) -> bool:
    there = view.channel.closed_at[other(view.target)]
    if there is None or there > view.there.proves or view.channel.closed_at[view.target] is not None:
        return False
    return view.key(TaskKind.CLOSE_CONFIRM, 0) not in view.excluded
