"""Submission of a round's tasks to one chain, in as few transactions as possible.

All proofs of a round are of one height, so a single client update serves them all. A task whose proof cannot
be fetched is left to a later round. A refused batch is split in half until the faulty message is alone; the
other messages take effect (hermes#2993).
"""

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial

from pyibc.core.errors import IbcError
from pyibc.core.host.block import TxOutcome
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET
from pyibc.relayer.clients.clock_guard import ClockGuard
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import EndpointRefused, MalformedAnswer, TransactionFailed
from pyibc.relayer.links.batch import BatchLimits, BatchSender, LearnedLimits, pack, update_client
from pyibc.relayer.links.executor import Executor, start
from pyibc.relayer.links.outcomes import Action, action_of, is_of_first, is_redundant, refusal
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.datagram import Datagram, build, keys_of
from pyibc.relayer.packets.packets import EventKey, event_keys, has_error, name_on_a
from pyibc.relayer.packets.proofs import Proofs
from pyibc.relayer.packets.task import Result, Task, TaskKind, Verdict
from pyibc.relayer.rpc.client import printable


class Submitter:
    """Submits messages to a client's host, with proofs from the client's reference chain."""

    def __init__(
        self, client: ForeignClient, limits: BatchLimits, metrics: Metrics, executor: Executor | None = None
    ) -> None:
        """Send nothing before `submit`. `executor` fetches proofs while the client update is built."""
        self._client = client
        self._limits = LearnedLimits(limits)
        self._clock = ClockGuard(client)
        self._metrics = metrics
        self._executor = executor

    def submit(self, tasks: Sequence[Task], tip: int) -> list[Result]:
        """Prove `tasks` by header `tip` of the prover, or a later one that the client has, and submit them.

        An older header is used if the host's clock does not allow that one yet. If no header that proves a
        task is allowed, wait for the host's next block.

        Raises:
            EndpointUnavailable: a chain did not answer; messages that were sent show in its blocks.
            EndpointRefused, MalformedAnswer: none of the proofs could be fetched.
            TransactionFailed: the chain refuses to update the client, or the account cannot pay.
            ClientUnusable: the client is frozen.
        """
        with self._metrics.part("update"):
            allowed = self._clock.newest(tip)
            proofs = start(self._executor, partial(self._proofs, tasks, allowed)) if allowed else None
            height, updates = self._client.build_updates(allowed) if allowed else (0, [])
        results = list[Result]()
        datagrams = list[Datagram]()
        if allowed:
            if height > tip:
                self._client.reference.wait(height)
            prefetched = proofs if height == allowed else None  # else the client has a later header
            results, datagrams = self._build(tasks, height, older=height < tip, proofs=prefetched)
        if datagrams:
            results += self._send(datagrams, BatchSender(self._client, self._metrics, height, updates))
        elif allowed < tip:
            self._client.host.wait(self._client.host.tip().height + 1)
        return results

    def submit_at(self, tasks: Sequence[Task], height: int, proofs: Proofs | None) -> list[Result]:
        """Prove `tasks` by header `height`, which the client has, and submit them. Raises as `submit`.

        `proofs` are proven by that header; None: they are fetched.
        """
        if proofs is None:
            self._client.reference.wait(height)
        known = None if proofs is None else lambda: proofs
        results, datagrams = self._build(tasks, height, older=False, proofs=known)
        if datagrams:
            results += self._send(datagrams, BatchSender(self._client, self._metrics, height, []))
        return results

    def retry(self, tasks: Sequence[Task]) -> list[Result]:
        """Submit `tasks`, which failed before, by the client's latest header: no update is paid for them.

        Raises as `submit`, but leaves out tasks that this header does not prove, or no longer.
        """
        height = self._client.view().latest.revision_height
        self._client.reference.wait(height)
        try:
            results, datagrams = self._build(tasks, height, older=True, proofs=None)
        except (EndpointRefused, MalformedAnswer) as error:
            return [Result(task, Verdict.SKIPPED, str(error)) for task in tasks]
        if datagrams:
            results += self._send(datagrams, BatchSender(self._client, self._metrics, height, []))
        return results

    def _build(
        self, tasks: Sequence[Task], height: int, *, older: bool, proofs: Callable[[], Proofs] | None
    ) -> tuple[list[Result], list[Datagram]]:
        with self._metrics.part("prove"):
            found = self._proofs(tasks, height) if proofs is None else proofs()
            builder = _Builder(found, self._client.host.signer)
            built = [builder.build(task, older=older) for task in tasks]
        # guard: h142-a-proof-that-lacks-ends-the-round {all => any}
        #   test_h142_one_refused_proof_in_a_hundred_keeps_no_packet_back
        if builder.problem is not None and all(_is_skipped(item) for item in built):
            raise builder.problem
        return (
            [item for item in built if isinstance(item, Result)],
            [item for item in built if isinstance(item, Datagram)],
        )

    def _proofs(self, tasks: Sequence[Task], height: int) -> Proofs:
        """Fetch the proofs that header `height` verifies."""
        return self._client.proofs(height - 1, [key for task in tasks for key in keys_of(task)])

    def _send(self, datagrams: Sequence[Datagram], sender: BatchSender) -> list[Result]:
        results = list[Result]()
        try:
            results.extend(_Round(sender, self._limits, self._clock, self._metrics).send(datagrams))
        except TransactionFailed as error:
            if action_of(error) is not Action.CLOCK or not self._clock.refused(sender.height):
                raise
        return results

    def refresh(self, tip: int) -> None:
        """Update the client to header `tip` to keep it from expiring.

        Raises:
            TransactionFailed: the chain refuses the update.
            ClientUnusable: the client is frozen.
        """
        allowed = self._clock.newest(tip)
        if not allowed:
            return
        try:
            update_client(self._client, allowed, self._metrics)
        except TransactionFailed as error:
            if action_of(error) is not Action.CLOCK or not self._clock.refused(allowed):
                raise


class _Builder:
    """Builder of a round's messages; a task that cannot be proven now is skipped."""

    def __init__(self, proofs: Proofs, signer: str) -> None:
        self._proofs = proofs
        self._signer = signer
        self._blocked: set[tuple[int, TaskKind]] = set()  # ordered channels in which a message is skipped
        self.problem: IbcError | None = None  # the first one

    def build(self, task: Task, *, older: bool) -> Datagram | Result:
        """Return the message; `older`: by a header older than the task, so that absence proves nothing."""
        stream = task.key.channel, task.key.kind
        if stream in self._blocked:
            return Result(task, Verdict.SKIPPED)
        built: Datagram | Result
        try:
            built = build(task, self._proofs, self._signer)
        except IbcError as error:
            self.problem = self.problem or error
            built = Result(task, Verdict.SKIPPED, str(error))
        # guard: h144-absence-in-an-older-state-is-believed test_h144_a_clock_a_minute_ahead_is_waited_for
        if older and isinstance(built, Result) and built.verdict is not Verdict.RECEIVED:
            built = Result(task, Verdict.SKIPPED, "not provable by the header that the host's clock allows")
        # guard: h142-an-ordered-channel-goes-on-without-a-packet drop
        #   test_h142_an_ordered_channel_waits_for_the_proof_and_stays_in_order
        if task.ordered and _is_skipped(built):
            self._blocked.add(stream)
        return built


def _is_skipped(item: Datagram | Result) -> bool:
    return isinstance(item, Result) and item.verdict is Verdict.SKIPPED


class _Round:
    """Batches of one round."""

    def __init__(
        self, sender: BatchSender, limits: LearnedLimits, clock: ClockGuard, metrics: Metrics
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._metrics = metrics
        self._limits = limits
        self._rest = list[Datagram]()  # not sent yet
        self._unprofitable = list[tuple[int, Datagram]]()  # gas; too expensive alone with the update
        self._blocked: set[tuple[int, TaskKind]] = (
            set()
        )  # ordered channels in which a message of the kind failed

    def send(self, datagrams: Sequence[Datagram]) -> Iterator[Result]:
        """Send all datagrams, in order."""
        if len(self._sender.updates) > 1:
            self._sender.update_alone()
        self._rest = list(datagrams)
        while self._rest or self._unprofitable:
            if not self._rest:
                yield from self._retry_together()
                continue
            room = self._limits.now.size - sum(len(update.value) for update in self._sender.updates)
            batch = next(pack(self._rest, BatchLimits(self._limits.now.messages, max(1, room))))
            del self._rest[: len(batch)]
            yield from self._send(batch)

    def _send(self, batch: Sequence[Datagram]) -> Iterator[Result]:
        blocked = [datagram.task for datagram in batch if self._is_blocked(datagram.task)]
        yield from (Result(task, Verdict.SKIPPED) for task in blocked)
        batch = [datagram for datagram in batch if not self._is_blocked(datagram.task)]
        if not batch:
            return
        yield from self._evaluate(batch, self._sender.send([datagram.message for datagram in batch]))

    def _evaluate(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        if outcome.code == 0:
            self._limits.accepted()
            yield from self._results(batch, outcome)
        elif is_redundant(outcome):
            yield from (self._redundant(datagram.task) for datagram in batch)
        # guard: h185-an-update-for-what-waits test_h185_no_update_is_paid_for_what_waits
        elif action_of(outcome) is Action.HOLD:  # nothing was paid; unsent messages need no update
            yield from self._hold(batch, outcome)
        elif self._sender.updates:  # whatever the log says: a packet may have caused it
            if action_of(outcome) is Action.CLOCK and is_of_first(outcome):
                self._clock.refused(self._sender.height)
            self._sender.update_alone()
            yield from self._send(batch)
        elif len(batch) > 1 and action_of(outcome) is Action.SHRINK:
            self._limits.refused(batch)
            self._rest[:0] = batch
        else:
            yield from self._split(batch, outcome)

    def _hold(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        """Split messages that are too expensive; `_retry_together` retries those that are so alone."""
        if len(batch) > 1:
            yield from self._split(batch, outcome)
            return
        task = batch[0].task
        # `gas_wanted` is 0 if a budget is used up: more messages that share the update do not help
        if self._sender.updates and not task.ordered and outcome.gas_wanted:
            self._unprofitable.append((outcome.gas_wanted, batch[0]))
        else:
            self._block(task)
            yield Result(task, Verdict.UNPROFITABLE, outcome.log, outcome.gas_wanted)

    def _retry_together(self) -> Iterator[Result]:
        """Retry the expensive messages in a batch that shares the update, without the costliest ones."""
        rest, self._unprofitable = sorted(self._unprofitable, key=lambda each: each[0]), []
        if not self._sender.updates:  # another batch has paid for it
            self._rest = [datagram for _, datagram in rest]
            return
        left_out = 1
        # guard: h186-nobody-shares-the-update test_h186_a_heavy_packet_holds_up_none_of_those_beside_it
        while len(rest) - left_out > 1:
            batch = [datagram for _, datagram in rest[:-left_out]]
            outcome = self._sender.send([datagram.message for datagram in batch])
            if action_of(outcome) is not Action.HOLD:
                rest = rest[-left_out:]
                yield from self._evaluate(batch, outcome)
                break
            left_out *= 2
        for gas, datagram in rest:
            yield Result(datagram.task, Verdict.UNPROFITABLE, "not sent: alone it costs too much", gas)

    def _split(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        if len(batch) > 1:
            middle = len(batch) // 2
            yield from self._send(batch[:middle])
            yield from self._send(batch[middle:])
            return
        task = batch[0].task
        self._block(task)
        reason = printable(f"{refusal(outcome)} {outcome.log}".strip())
        yield Result(task, Verdict.FAILED, reason, is_paid=outcome.gas_used > 0)

    def _results(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        effects = set(event_keys(outcome.events, _EFFECTS))
        for datagram in batch:
            if took_effect(datagram.task, effects):
                task = datagram.task
                self._metrics.count(task.key.kind, has_error=has_error(task.packet, task.acknowledgement))
                yield Result(datagram.task, Verdict.EFFECTIVE)
            else:
                yield self._redundant(datagram.task)

    def _redundant(self, task: Task) -> Result:
        self._metrics.redundant += 1
        return Result(task, Verdict.RECEIVED if task.key.kind == TaskKind.RECV else Verdict.GONE)

    def _block(self, task: Task) -> None:
        if task.ordered:
            self._blocked.add((task.key.channel, task.key.kind))

    def _is_blocked(self, task: Task) -> bool:
        return (task.key.channel, task.key.kind) in self._blocked


_EVENT = {
    TaskKind.RECV: RECV_PACKET,
    TaskKind.ACKNOWLEDGE: ACKNOWLEDGE_PACKET,
    TaskKind.TIMEOUT: TIMEOUT_PACKET,
    TaskKind.TIMEOUT_ON_CLOSE: TIMEOUT_PACKET,
}
_EFFECTS = frozenset(_EVENT.values())


def took_effect(task: Task, effects: Set[EventKey]) -> bool:
    """Return whether the message of `task` took effect, by the packet events of its successful transaction.

    A message without a packet always takes effect, or fails.
    """
    packet = task.packet
    if packet is None:
        return True
    return (_EVENT[task.key.kind], name_on_a(packet), packet.sequence) in effects
