"""The plan: backlog and heads in, work out (ICS-18 `pendingDatagrams`). No IO, no clock.

What block H of a chain did is proven against the app hash in header H + 1. With header T of the prover
on the target's client, the plan therefore holds what the prover's blocks up to T - 1 ask for.
"""

from collections.abc import Container, Iterator
from itertools import zip_longest
from typing import NamedTuple

from ibc_core.channel.types import Order
from ibc_core.height import Height
from ibc_relayer.backlog import Backlog, ChannelBacklog
from ibc_relayer.lane import Lane, Pending, Stage
from ibc_relayer.packets import AnyPacket, elapsed
from ibc_relayer.path import Side, other
from ibc_relayer.work import Kind, Work, WorkKey


class Head(NamedTuple):
    """A chain's last header, whose app hash proves the state one block below."""

    height: Height
    time_ns: int

    @property
    def proves(self) -> int:
        """Height of the last block whose effects this header proves."""
        return self.height.revision_height - 1


class _Task(NamedTuple):
    """One channel as seen from the chain that is to get messages."""

    number: int  # index of the channel in the backlog
    channel: ChannelBacklog
    target: Side
    here: Head  # of the target
    there: Head  # of the prover
    held: Container[WorkKey]

    @property
    def ordered(self) -> bool:
        return self.channel.path.order == Order.ORDERED

    def key(self, kind: Kind, sequence: int) -> WorkKey:
        return WorkKey(kind, self.number, self.target, sequence)

    def work(self, kind: Kind, packet: AnyPacket | None = None, acknowledgement: bytes = b"") -> Work:
        near, far = self.channel.path.end(self.target), self.channel.path.end(other(self.target))
        sequence = packet.sequence if packet else 0
        return Work(self.key(kind, sequence), near, far, self.ordered, packet, acknowledgement)


def plan(
    backlog: Backlog, heads: tuple[Head, Head], target: Side, held: Container[WorkKey], limit: int
) -> list[Work]:
    """Messages for the chain on side `target`, at most `limit`; channels take turns.

    Args:
        backlog: everything both chains' blocks up to `heads` ask for.
        heads: the last headers of `a` and `b`.
        target: the chain that gets the messages.
        held: works to leave out this time; on an ordered channel what stands behind one waits too.
        limit: number of messages; what is left over comes in the next plan.
    """
    here, there = heads[target], heads[other(target)]
    queues = [
        _channel(_Task(number, channel, target, here, there, held))
        for number, channel in enumerate(backlog.channels)
    ]
    works: list[Work] = []
    for turn in zip_longest(*queues):
        works += [work for work in turn if work is not None]
        if len(works) >= limit:
            return works[:limit]
    return works


def _channel(task: _Task) -> Iterator[Work]:
    """A channel's messages; the closing one alone, when nothing else is left for this end to do."""
    busy = False
    for work in _packets(task):
        busy = True
        yield work
    if not busy and _close_is_due(task):
        yield task.work(Kind.CLOSE_CONFIRM)


def _packets(task: _Task) -> Iterator[Work]:
    incoming = task.channel.lane(other(task.target))
    outgoing = task.channel.lane(task.target)
    if task.channel.closed_at[task.target] is None:
        yield from _deliveries(task, incoming)
        yield from _acknowledgements(task, outgoing)
    yield from _timeouts(task, outgoing)


def _deliveries(task: _Task, lane: Lane) -> Iterator[Work]:
    expected = lane.next_sequence_recv
    for sequence, pending in lane.in_order():
        if pending.stage != Stage.SENT:
            continue
        ready = pending.height <= task.there.proves and not _too_late(task, pending)
        if task.ordered and (sequence != expected or not ready):
            return
        expected += 1
        if task.key(Kind.RECV, sequence) in task.held:
            if task.ordered:
                return
        elif ready:
            yield task.work(Kind.RECV, pending.packet)


def _acknowledgements(task: _Task, lane: Lane) -> Iterator[Work]:
    for sequence, pending in lane.in_order():
        ready = pending.stage == Stage.ANSWERED and pending.height <= task.there.proves
        if ready and task.key(Kind.ACKNOWLEDGE, sequence) not in task.held:
            yield task.work(Kind.ACKNOWLEDGE, pending.packet, pending.acknowledgement)
        elif task.ordered:
            return


def _timeouts(task: _Task, lane: Lane) -> Iterator[Work]:
    closed_at = task.channel.closed_at[other(task.target)]
    closed = closed_at is not None and closed_at <= task.there.proves
    for sequence, pending in lane.in_order():
        if pending.stage != Stage.SENT:
            continue
        kind = Kind.TIMEOUT_ON_CLOSE if closed else Kind.TIMEOUT
        due = closed or elapsed(pending.packet, task.there.height, task.there.time_ns)
        if due and task.key(kind, sequence) not in task.held:
            yield task.work(kind, pending.packet)


def _too_late(task: _Task, pending: Pending) -> bool:
    """Whether the target's next block would refuse the packet."""
    revision, height = task.here.height
    return elapsed(pending.packet, Height(revision, height + 1), task.here.time_ns)


def _close_is_due(task: _Task) -> bool:
    there = task.channel.closed_at[other(task.target)]
    if there is None or there > task.there.proves or task.channel.closed_at[task.target] is not None:
        return False
    return task.key(Kind.CLOSE_CONFIRM, 0) not in task.held
