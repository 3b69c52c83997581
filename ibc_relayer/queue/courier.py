"""The courier: brings one chain what the other one's queues hold for it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.errors.queue import AdvanceBelowHead, NoSuchPacket, OutOfOrder
from ibc_core.host.block import TxOutcome
from ibc_core.queue.packet import Registration
from ibc_relayer.batch import Limits, pack
from ibc_relayer.client import TendedClient
from ibc_relayer.courier import bring_to
from ibc_relayer.metrics import Metrics
from ibc_relayer.queue.cargo import Cargo, Flow, Kind, Loader, Waiting, waiting
from ibc_relayer.queue.dial import Dial, Patience
from ibc_relayer.queue.state import Prover
from ibc_relayer.submission import refusal, refused_for, send


class Options(NamedTuple):
    """How a link works."""

    dial: Dial = Dial()
    limits: Limits = Limits(10)  # of a transaction: messages, and bytes
    items: int = 100  # packets or receipts in a message
    clean: int = 100  # receipts that were handled are worth a journey of their own; fewer go along
    attempts: int = 5  # of a message that fails with one item alone, before its flow is given up


SECOND = (OutOfOrder, NoSuchPacket, AdvanceBelowHead)
"""What a chain answers when another relayer was first."""


class _Pace:
    """How one chain takes one flow of a path: fewer items at a time after a refusal."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.items = options.items
        self.refusals = 0  # in a row, of one item alone

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


class QueueCourier:
    """Serves the host of a client, with proofs of the chain that the client tracks."""

    def __init__(
        self,
        client: TendedClient,
        ends: Sequence[tuple[Registration, Registration]],
        options: Options,
        metrics: Metrics,
    ) -> None:
        """`ends` are registrations, each as the host knows it and as the other chain does."""
        self._client = client
        self._ends = ends
        self._options = options
        self._metrics = metrics
        self._patience = Patience(options.dial)
        self._paces = {(number, flow): _Pace(options) for number in range(len(ends)) for flow in Flow}
        self._due_ns = client.due_ns()

    def serve(self) -> bool:
        """Brings what is due; returns whether something waits, or was brought.

        Raises:
            EndpointUnavailable: a chain did not answer.
            TransactionFailed: the host refuses a client update, or our account.
            ClientUnusable: the client is frozen or expired.
        """
        with self._metrics.part("read"):
            wanted = [self._waiting(number) for number in range(len(self._ends))]
            tip = self._client.target.tip().height
        number = self._worth_a_journey(wanted)
        if self._patience.is_due(number, tip):
            self._bring(tip, wanted)
        else:
            self._refresh(tip)
        return number > 0

    def _waiting(self, number: int) -> Waiting:
        """What waits for the host, without what was given up."""
        found = waiting(self._client.host, self._client.target, *self._ends[number])
        if self._paces[number, Flow.ANSWERS].given_up:
            found = found._replace(answered=0, expired=0)
        if self._paces[number, Flow.ARRIVALS].given_up:
            found = found._replace(arriving=0, handled=0)
        return found

    def _worth_a_journey(self, wanted: Iterable[Waiting]) -> int:
        each = list(wanted)
        handled = sum(one.handled for one in each)
        pressing = sum(one.arriving + one.answered + one.expired for one in each)
        return pressing + (handled if handled >= self._options.clean else 0)

    def _bring(self, tip: int, wanted: Sequence[Waiting]) -> None:
        with self._metrics.part("update"):
            header, updates = self._client.headers_to(tip)
        self._client.target.wait(header)
        journey = _Journey(self._client, self._metrics, header, updates)
        if len(updates) > 1 or self._options.limits.messages == 1:
            journey.update_alone()
        for number, each in enumerate(wanted):
            for flow in Flow:
                self._flow(journey, number, flow, each)

    def _flow(self, journey: "_Journey", number: int, flow: Flow, wanted: Waiting) -> None:
        pace, ends = self._paces[number, flow], self._ends[number]
        prover = Prover(self._client.target, ends[0].remote_store.decode(), journey.header - 1)
        limits = Limits(pace.items, self._options.limits.size)
        with self._metrics.part("prove"):
            cargo = Loader(self._client.host, prover, *ends, limits).load(flow, wanted)
        for batch in pack(cargo, self._options.limits):
            outcome = journey.submit(batch)
            if outcome.code:
                self._refused(pace, ends[0], batch, outcome)
                return  # what follows stands behind it in the queue
            pace.accepted()

    def _refused(self, pace: _Pace, ours: Registration, batch: Sequence[Cargo], outcome: TxOutcome) -> None:
        if any(refused_for(outcome, kind) for kind in SECOND):
            self._metrics.redundant += 1
            return
        pace.refused(max(cargo.number for cargo in batch))
        if pace.given_up:
            name = f"{batch[0].kind.value} of {ours.remote.text} on {self._client.host.chain_id}"
            self._metrics.given_up[name] = f"{refusal(outcome)} {outcome.log}".strip()

    def _refresh(self, tip: int) -> None:
        """Keeps an idle client alive; another relayer may have done so since we looked."""
        now_ns = self._client.host.tip().time_ns
        if now_ns < self._due_ns:
            return
        if now_ns >= self._client.due_ns():
            bring_to(self._client, tip, self._metrics)
        self._due_ns = self._client.due_ns()


class _Journey:
    """The transactions under one header; the update rides in front of the first."""

    def __init__(
        self, client: TendedClient, metrics: Metrics, header: int, updates: list[AnyMessage]
    ) -> None:
        self._client = client
        self._metrics = metrics
        self.header = header
        self._updates = updates

    def update_alone(self) -> None:
        """Updates the client in a transaction of its own, so that nothing else is blamed for it."""
        self._updates = []
        bring_to(self._client, self.header, self._metrics)

    def submit(self, batch: Sequence[Cargo]) -> TxOutcome:
        """One transaction."""
        messages = [*self._updates, *(cargo.message for cargo in batch)]
        with self._metrics.part("submit"):
            outcome = send(self._client.host, messages)
        if outcome.code == 0:
            self._count(batch, sum(len(message.value) for message in messages))
            self._updates = []
        else:
            self._metrics.refused += 1
            if self._updates:
                self.update_alone()
                return self.submit(batch)
        return outcome

    def _count(self, batch: Sequence[Cargo], size: int) -> None:
        self._metrics.transactions += 1
        self._metrics.updates += len(self._updates)
        self._metrics.bytes_sent += size
        for cargo in batch:
            match cargo.kind:
                case Kind.RECEIVE:
                    self._metrics.delivered += cargo.number
                case Kind.HANDLE_RECEIPT:
                    self._metrics.acknowledged += cargo.number
                case Kind.TIMEOUT:
                    self._metrics.timed_out += cargo.number
                case Kind.ADVANCE:
                    self._metrics.cleaned_up += cargo.number
