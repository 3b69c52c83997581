"""Submission of queue messages to one chain, from the other chain's queues [IBC-channels 3.7]."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import TxOutcome
from pyibc.queues.errors import AdvanceBelowHead, NoSuchPacket, OutOfOrder
from pyibc.queues.packet import Registration
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.links.backoff import retry_delay_s
from pyibc.relayer.links.batch import BatchLimits, BatchSender, pack, update_client
from pyibc.relayer.links.client_watch import ClientRefresh, Report, expiries_of
from pyibc.relayer.links.outcomes import refusal, refused_for
from pyibc.relayer.links.submissions import SERIAL, SubmissionRunner
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.queue.datagram import (
    DatagramBuilder,
    Direction,
    PendingCounts,
    Prover,
    QueueDatagram,
    QueueKind,
    count_pending,
)

# -- cost against latency [IBC-channels 3.7]: the time that packets wait to share one client update


class BatchPolicy(NamedTuple):
    """Condition for submitting a batch: a client update costs far more than another proof of its header."""

    packets: int = 1  # number of pending packets that triggers a submission
    blocks: int = 0  # number of blocks of the sending chain that triggers a submission


class BatchTimer:
    """Timer of the packets that are pending for one chain."""

    def __init__(self, policy: BatchPolicy) -> None:
        self._policy = policy
        self._since: int | None = None  # height at which a packet was first pending

    def is_due(self, number: int, height: int) -> bool:
        """Return whether to submit now, with `number` packets or receipts pending at `height`."""
        if not number:
            self._since = None
            return False
        if self._since is None:
            self._since = height
        due = number >= self._policy.packets or height - self._since >= self._policy.blocks
        if due:
            self._since = None
        return due


# -- submission


class Options(NamedTuple):
    """Options of a queue link."""

    policy: BatchPolicy = BatchPolicy()
    limits: BatchLimits = BatchLimits(10)  # of a transaction
    items: int = 100  # packets or receipts in a message
    clean: int = 100  # handled receipts that justify a transaction; fewer are cleaned up with other messages
    attempts: int = 5  # of a transaction with a single packet, before its direction is reported as given up
    sleep: Callable[[float], None] = time.sleep  # until a retry, seconds
    clock: Callable[[], float] = time.monotonic  # seconds; for retries
    retry_wait_s: float = 10.0  # longest time for which a run that ends waits for a retry
    runner: SubmissionRunner = SERIAL  # runs both directions; not shared with other links unless serial
    refreshes: Report | None = None  # gets the refreshes of the light clients


REDUNDANT = (OutOfOrder, NoSuchPacket, AdvanceBelowHead)
"""Errors of a message that another relayer sent first."""


_NO_LIMIT = 2**32
"""Packets of a timeout, or receipts of an advance, without a limit: one proof covers any number."""


class _LearnedLimits:
    """Limits of one direction's transactions: halved by a refusal, doubled by a success.

    A refusal halves the packets of a message until each has one, then the messages of a transaction. So all
    packets before a refused one are delivered, and the refused one ends up alone.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self.items = options.items
        self.run = _NO_LIMIT
        self.messages = options.limits.messages
        self.refusals = 0  # consecutive refusals of a single packet in a transaction of its own
        self.trouble = "", ""  # message and reason of the last refusal
        self._due_s = 0.0
        self._since_s = 0.0

    @property
    def given_up(self) -> bool:
        """Return whether the direction is reported as given up; it is retried rarely."""
        return self.refusals >= self._options.attempts

    @property
    def waits_s(self) -> float:
        """Return the time until the direction is tried again, seconds; 0: it is not waiting."""
        return max(0.0, self._due_s - self._options.clock()) if self.refusals else 0.0

    @property
    def fails_s(self) -> float:
        """Return the time since the first refusal, seconds; 0: there was none."""
        return max(0.0, self._options.clock() - self._since_s) if self.refusals else 0.0

    def accepted(self) -> None:
        """Raise the limits after a successful transaction."""
        self.items = min(self._options.items, self.items * 2)
        self.run = min(_NO_LIMIT, self.run * 2)
        self.messages = min(self._options.limits.messages, self.messages * 2)
        self.refusals = 0

    def refused(self, batch: Sequence[QueueDatagram]) -> None:
        """Lower the limits after a transaction of `batch` was refused."""
        most = max(datagram.number for datagram in batch)
        if most > 1:
            self.items = max(1, min(self.items, most) // 2)
            # guard: h301-a-run-is-never-shortened drop
            #   test_h301_packets_before_one_that_cannot_be_taken_back_are_taken_back
            self.run = max(1, min(self.run, most) // 2)
        elif len(batch) > 1:
            # guard: h301-good-packets-wait-behind-a-bad-one drop
            #   test_h301_all_packets_before_a_refused_one_are_delivered
            self.messages = max(1, min(self.messages, len(batch)) // 2)
        else:
            now_s = self._options.clock()
            self._since_s = self._since_s if self.refusals else now_s
            self.refusals += 1
            self._due_s = now_s + retry_delay_s(self.refusals)


class QueueSubmitter:
    """Submits queue messages to the host of a client, with proofs of the client's reference chain."""

    def __init__(
        self,
        client: ForeignClient,
        ends: Sequence[tuple[Registration, Registration]],
        options: Options,
        metrics: Metrics,
    ) -> None:
        """Take `ends`: registrations, each as on the host and as on the other chain."""
        self._client = client
        self._ends = ends
        self._options = options
        self.metrics = metrics
        self._timer = BatchTimer(options.policy)
        self._learned = {
            (number, direction): _LearnedLimits(options)
            for number in range(len(ends))
            for direction in Direction
        }
        self._refreshes = ClientRefresh(client, options.refreshes, options.clock)
        self._report_expiry()
        self.arriving = [0] * len(ends)
        """Packets that the host had still to receive at the last query, by end."""

    def submit_pending(self) -> bool:
        """Submit the messages that are due; return whether anything is pending or was submitted.

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
        self._refreshes.observe(self._client.host.tip().time_ns)
        self._report_expiry()
        return number > 0

    def _pending(self, number: int) -> PendingCounts:
        """Return the pending packets for the host, without directions that wait for a retry."""
        found = count_pending(self._client.host, self._client.reference, *self._ends[number])
        if self._learned[number, Direction.OUTGOING].waits_s:
            found = found._replace(answered=0, expired=0)
        if self._learned[number, Direction.INCOMING].waits_s:
            found = found._replace(arriving=0, handled=0)
        return found

    def _worth_a_batch(self, pending: Sequence[PendingCounts]) -> int:
        handled = sum(one.handled for one in pending)
        urgent = sum(one.arriving + one.answered + one.expired for one in pending)
        return urgent + (handled if handled >= self._options.clean else 0)

    def _submit(self, tip: int, pending: Sequence[PendingCounts]) -> None:
        with self.metrics.part("update"):
            header, updates = self._header(tip, pending)
        self._client.reference.wait(header)
        sender = BatchSender(self._client, self.metrics, header, updates)
        if len(updates) > 1 or self._options.limits.messages == 1:
            sender.update_alone()
        for number, each in enumerate(pending):
            for direction in Direction:
                self._submit_direction(sender, number, direction, each)

    def _header(self, tip: int, pending: Sequence[PendingCounts]) -> tuple[int, list[AnyMessage]]:
        """Return the header to prove by, and the updates to it; none for what was refused alone before."""
        due = [
            self._learned[number, direction]
            for number, each in enumerate(pending)
            for direction, count in (
                (Direction.OUTGOING, each.answered + each.expired),
                (Direction.INCOMING, each.arriving),
            )
            if count
        ]
        # guard: a-queue-s-retry-pays-an-update drop
        #   test_a_refused_receipt_is_tried_again_without_another_update
        if due and all(learned.refusals for learned in due):
            return self._client.view().latest.revision_height, []
        return self._client.build_updates(tip)

    def next_retry_s(self) -> float | None:
        """Return the time until the next retry, seconds; None: only what was given up waits."""
        waits = [each.waits_s for each in self._learned.values() if each.waits_s and not each.given_up]
        return min(waits, default=None)

    def _submit_direction(
        self, sender: BatchSender, number: int, direction: Direction, pending: PendingCounts
    ) -> None:
        learned, ends = self._learned[number, direction], self._ends[number]
        prover = Prover(self._client.reference, ends[0].remote_store.decode(), sender.height - 1)
        limits = BatchLimits(learned.items, self._options.limits.size)
        with self.metrics.part("prove"):
            builder = DatagramBuilder(self._client.host, prover, *ends, limits, learned.run)
            datagrams = builder.build(direction, pending)
        for batch in pack(datagrams, self._options.limits._replace(messages=learned.messages)):
            outcome = self._send(sender, batch)
            if outcome.code:
                self._refused(learned, ends[0], batch, outcome)
                return  # the queue is ordered: later packets of this direction depend on this one
            learned.accepted()
            self._report_given_up()

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
        self, learned: _LearnedLimits, ours: Registration, batch: Sequence[QueueDatagram], outcome: TxOutcome
    ) -> None:
        if any(refused_for(outcome, kind) for kind in REDUNDANT):
            self.metrics.redundant += 1
            return
        learned.refused(batch)
        name = f"{batch[0].kind.value} of {ours.remote.text} on {self._client.host.chain_id}"
        learned.trouble = name, f"{refusal(outcome)} {outcome.log}".strip()
        self._report_given_up()

    def _report_given_up(self) -> None:
        given_up = [each for each in self._learned.values() if each.given_up]
        self.metrics.given_up = dict(each.trouble for each in given_up)
        self.metrics.given_up_s = max((each.fails_s for each in given_up), default=0.0)

    def _refresh(self, tip: int) -> None:
        """Keep an idle client from expiring, unless another relayer has updated it."""
        host, reference = self._client.host.tip(), self._client.reference.tip()
        if self._refreshes.is_due(host.time_ns, reference.time_ns):
            update_client(self._client, tip, self.metrics)

    def _report_expiry(self) -> None:
        self.metrics.expiries = expiries_of([self._refreshes])

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
