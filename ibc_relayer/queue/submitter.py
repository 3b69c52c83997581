"""Submits to one chain what the other chain's queues hold for it [IBC-channels 3.7]."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ibc_core.errors.queue import AdvanceBelowHead, NoSuchPacket, OutOfOrder
from ibc_core.host.block import TxOutcome
from ibc_core.queue.packet import Registration
from ibc_relayer.batch import Limits, pack
from ibc_relayer.batch_sender import BatchSender, update_client
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.lanes import IN_TURN, Lanes
from ibc_relayer.metrics import Metrics
from ibc_relayer.queue.batch_policy import BatchPolicy, BatchTimer
from ibc_relayer.queue.datagram import (
    DatagramBuilder,
    Direction,
    PendingCounts,
    QueueDatagram,
    QueueKind,
    count_pending,
)
from ibc_relayer.queue.state import Prover
from ibc_relayer.submission import refusal, refused_for


class Options(NamedTuple):
    """How a link works."""

    policy: BatchPolicy = BatchPolicy()
    limits: Limits = Limits(10)  # of a transaction: messages, and bytes
    items: int = 100  # packets or receipts in a message
    clean: int = 100  # handled receipts that justify a transaction; fewer are cleaned up along with others
    attempts: int = 5  # of a message that fails with a single item, before its direction is given up
    lanes: Lanes = IN_TURN  # how the two directions run; one link's own, unless in turn


SECOND = (OutOfOrder, NoSuchPacket, AdvanceBelowHead)
"""What a chain answers when another relayer was first."""


class _ItemLimit:
    """Items in a message of one direction of a path: halved by a refusal, doubled by a success."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.items = options.items
        self.refusals = 0  # in a row, of a single item

    @property
    def given_up(self) -> bool:
        return self.refusals >= self._options.attempts

    def accepted(self) -> None:
        self.items = min(self._options.items, self.items * 2)
        self.refusals = 0

    def refused(self, number: int) -> None:
        if number <= 1:
            self.refusals += 1
        self.items = max(1, min(self.items, number) // 2)


class QueueSubmitter:
    """Submits queue messages to the host of a client, with proofs of the client's reference chain."""

    def __init__(
        self,
        client: ForeignClient,
        ends: Sequence[tuple[Registration, Registration]],
        options: Options,
        metrics: Metrics,
    ) -> None:
        """`ends` are registrations, each as the host has it and as the other chain has it."""
        self._client = client
        self._ends = ends
        self._options = options
        self.metrics = metrics
        self._timer = BatchTimer(options.policy)
        self._item_limits = {
            (number, direction): _ItemLimit(options) for number in range(len(ends)) for direction in Direction
        }
        self._due_ns = client.due_ns()
        self.arriving = [0] * len(ends)
        """Packets that the host has to receive, by end, as of the last look."""

    def submit_pending(self) -> bool:
        """Submits what is due; returns whether anything is pending, or was submitted.

        Raises:
            EndpointUnavailable: a chain did not answer.
            TransactionFailed: the host refuses a client update, or the account cannot pay.
            ClientUnusable: the client is frozen or expired.
        """
        with self.metrics.part("read"):
            pending = [self._pending(number) for number in range(len(self._ends))]
            tip = self._client.reference.tip().height
        self.arriving = [each.arriving for each in pending]
        number = self._worth_a_batch(pending)
        if self._timer.is_due(number, tip):
            self._submit(tip, pending)
        else:
            self._refresh(tip)
        return number > 0

    def _pending(self, number: int) -> PendingCounts:
        """What is pending for the host, without what was given up."""
        found = count_pending(self._client.host, self._client.reference, *self._ends[number])
        if self._item_limits[number, Direction.OUTGOING].given_up:
            found = found._replace(answered=0, expired=0)
        if self._item_limits[number, Direction.INCOMING].given_up:
            found = found._replace(arriving=0, handled=0)
        return found

    def _worth_a_batch(self, pending: Iterable[PendingCounts]) -> int:
        each = list(pending)
        handled = sum(one.handled for one in each)
        urgent = sum(one.arriving + one.answered + one.expired for one in each)
        return urgent + (handled if handled >= self._options.clean else 0)

    def _submit(self, tip: int, pending: Sequence[PendingCounts]) -> None:
        with self.metrics.part("update"):
            header, updates = self._client.build_updates(tip)
        self._client.reference.wait(header)
        sender = BatchSender(self._client, self.metrics, header, updates)
        if len(updates) > 1 or self._options.limits.messages == 1:
            sender.update_alone()
        for number, each in enumerate(pending):
            for direction in Direction:
                self._submit_direction(sender, number, direction, each)

    def _submit_direction(
        self, sender: BatchSender, number: int, direction: Direction, pending: PendingCounts
    ) -> None:
        item_limit, ends = self._item_limits[number, direction], self._ends[number]
        prover = Prover(self._client.reference, ends[0].remote_store.decode(), sender.height - 1)
        limits = Limits(item_limit.items, self._options.limits.size)
        with self.metrics.part("prove"):
            datagrams = DatagramBuilder(self._client.host, prover, *ends, limits).build(direction, pending)
        for batch in pack(datagrams, self._options.limits):
            outcome = self._send(sender, batch)
            if outcome.code:
                self._refused(item_limit, ends[0], batch, outcome)
                return  # the queue is ordered: the rest of this direction cannot go through before it
            item_limit.accepted()

    def _send(self, sender: BatchSender, batch: Sequence[QueueDatagram]) -> TxOutcome:
        messages = [datagram.message for datagram in batch]
        outcome = sender.send(messages)
        if outcome.code and sender.updates:
            sender.update_alone()
            outcome = sender.send(messages)
        if outcome.code == 0:
            self._count(batch)
        return outcome

    def _refused(
        self, limit: _ItemLimit, ours: Registration, batch: Sequence[QueueDatagram], outcome: TxOutcome
    ) -> None:
        if any(refused_for(outcome, kind) for kind in SECOND):
            self.metrics.redundant += 1
            return
        limit.refused(max(datagram.number for datagram in batch))
        if limit.given_up:
            name = f"{batch[0].kind.value} of {ours.remote.text} on {self._client.host.chain_id}"
            self.metrics.given_up[name] = f"{refusal(outcome)} {outcome.log}".strip()

    def _refresh(self, tip: int) -> None:
        """Keeps an idle client alive; another relayer may have done so since we looked."""
        now_ns = self._client.host.tip().time_ns
        if now_ns < self._due_ns:
            return
        if now_ns >= self._client.due_ns():
            update_client(self._client, tip, self.metrics)
        self._due_ns = self._client.due_ns()

    def _count(self, batch: Sequence[QueueDatagram]) -> None:
        for datagram in batch:
            match datagram.kind:
                case QueueKind.RECEIVE:
                    self.metrics.delivered += datagram.number
                case QueueKind.HANDLE_RECEIPT:
                    self.metrics.acknowledged += datagram.number
                case QueueKind.TIMEOUT:
                    self.metrics.timed_out += datagram.number
                case QueueKind.ADVANCE:
                    self.metrics.cleaned_up += datagram.number
