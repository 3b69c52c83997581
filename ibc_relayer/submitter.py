"""Submits a round's tasks to one chain, in as few transactions as possible.

All proofs of a round are made at one height, so a single client update serves them all. A task whose proof
cannot be had is left out and comes back. A refused batch is split in half until the message at fault stands
alone; the others go through (hermes#2993).
"""

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from typing import Protocol, TypeVar

from ibc_core.errors import IbcError
from ibc_core.host.block import TxOutcome
from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET
from ibc_relayer.batch import LearnedLimits, Limits, pack
from ibc_relayer.batch_sender import BatchSender, update_client
from ibc_relayer.clock_guard import ClockGuard
from ibc_relayer.datagram import Datagram, build, keys_of
from ibc_relayer.errors import TransactionFailed
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.metrics import Metrics
from ibc_relayer.outcomes import Action, action_of, is_of_first
from ibc_relayer.packets import EventKey, event_keys, name_on_a
from ibc_relayer.proofs import Proofs
from ibc_relayer.rpc_client import printable
from ibc_relayer.submission import is_redundant, refusal
from ibc_relayer.task import Kind, Result, Task, Verdict

V = TypeVar("V")


class Beside(Protocol):
    """Runs something beside its caller, or later."""

    def __call__(self, work: Callable[[], V], /) -> Callable[[], V]:
        """Who is to be asked for the result, or raises what `work` raised."""


def later(work: Callable[[], V], /) -> Callable[[], V]:
    """Runs it when the result is asked for."""
    return work


class Submitter:
    """Submits messages to the host of a client, with proofs of the client's reference chain."""

    def __init__(
        self, client: ForeignClient, limits: Limits, metrics: Metrics, beside: Beside = later
    ) -> None:
        """Nothing is sent before `submit`. `beside`: how proofs are fetched while the update is built."""
        self._client = client
        self._limits = LearnedLimits(limits)
        self._clock = ClockGuard(client)
        self._metrics = metrics
        self._beside = beside

    def submit(self, tasks: Sequence[Task], tip: int) -> list[Result]:
        """Proves `tasks` by header `tip` of the prover, or a later one that the client has, and submits them.

        By an older header where the host's clock does not allow that one; waits for the host's next block
        where it allows none that proves anything.

        Raises:
            EndpointUnavailable: a chain did not answer; what was sent shows in its blocks.
            EndpointRefused, MalformedAnswer: not one of the proofs could be had.
            TransactionFailed: the chain refuses to update the client, or the account cannot pay.
            ClientUnusable: the client is frozen.
        """
        with self._metrics.part("update"):
            allowed = self._clock.newest(tip)
            proofs = self._beside(partial(self._proofs, tasks, allowed)) if allowed else None
            height, updates = self._client.build_updates(allowed) if allowed else (0, [])
        results = list[Result]()
        datagrams = list[Datagram]()
        if allowed:
            if height > tip:
                self._client.reference.wait(height)
            ahead = proofs if height == allowed else None  # else the client has a later header
            results, datagrams = self._build(tasks, height, older=height < tip, proofs=ahead)
        if datagrams:
            results += self._send(datagrams, BatchSender(self._client, self._metrics, height, updates))
        elif allowed < tip:
            self._client.host.wait(self._client.host.tip().height + 1)
        return results

    def submit_at(self, tasks: Sequence[Task], height: int, proofs: Proofs | None) -> list[Result]:
        """Proves `tasks` by header `height`, which the client has, and submits them. Raises as `submit`.

        `proofs` are those of that header; None: they are fetched.
        """
        if proofs is None:
            self._client.reference.wait(height)
        known = None if proofs is None else lambda: proofs
        results, datagrams = self._build(tasks, height, older=False, proofs=known)
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
        """Those that header `height` shows."""
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
        """Updates the client to header `tip` to keep it alive.

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
    """Makes the messages of a round; a task that cannot be proven now is skipped."""

    def __init__(self, proofs: Proofs, signer: str) -> None:
        self._proofs = proofs
        self._signer = signer
        self._blocked: set[tuple[int, Kind]] = set()  # ordered channels in which a message is skipped
        self.problem: IbcError | None = None  # the first one

    def build(self, task: Task, *, older: bool) -> Datagram | Result:
        """The message. `older`: by a header from before the task; then nothing is concluded from absence."""
        lane = task.key.channel, task.key.kind
        if lane in self._blocked:
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
            self._blocked.add(lane)
        return built


def _is_skipped(item: Datagram | Result) -> bool:
    return isinstance(item, Result) and item.verdict is Verdict.SKIPPED


class _Round:
    """The batches of one round."""

    def __init__(
        self, sender: BatchSender, limits: LearnedLimits, clock: ClockGuard, metrics: Metrics
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._metrics = metrics
        self._limits = limits
        self._rest = list[Datagram]()  # not sent yet
        self._dear = list[tuple[int, Datagram]]()  # too dear alone, with the update in front; and their gas
        self._blocked: set[tuple[int, Kind]] = set()  # ordered channels in which a message of the kind failed

    def send(self, datagrams: Sequence[Datagram]) -> Iterator[Result]:
        """Sends all, in order."""
        if len(self._sender.updates) > 1:
            self._sender.update_alone()
        self._rest = list(datagrams)
        while self._rest or self._dear:
            if not self._rest:
                yield from self._together()
                continue
            room = self._limits.now.size - sum(len(update.value) for update in self._sender.updates)
            batch = next(pack(self._rest, Limits(self._limits.now.messages, max(1, room))))
            del self._rest[: len(batch)]
            yield from self._send(batch)

    def _send(self, batch: Sequence[Datagram]) -> Iterator[Result]:
        blocked = [datagram.task for datagram in batch if self._is_blocked(datagram.task)]
        yield from (Result(task, Verdict.SKIPPED) for task in blocked)
        batch = [datagram for datagram in batch if not self._is_blocked(datagram.task)]
        if not batch:
            return
        yield from self._judge(batch, self._sender.send([datagram.message for datagram in batch]))

    def _judge(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        if outcome.code == 0:
            self._limits.accepted()
            yield from self._settle(batch, outcome)
        elif is_redundant(outcome):
            yield from (self._redundant(datagram.task) for datagram in batch)
        # guard: h185-an-update-for-what-waits test_h185_no_update_is_paid_for_what_waits
        elif action_of(outcome) is Action.HOLD:  # nothing was paid, and no update is for what waits
            yield from self._hold(batch, outcome)
        elif self._sender.updates:  # whatever the log says: it may be of a packet
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
        """What was too dear: in halves, then one by one; those left are tried again by `_together`."""
        if len(batch) > 1:
            yield from self._split(batch, outcome)
            return
        task = batch[0].task
        if self._sender.updates and not task.ordered:
            self._dear.append((outcome.gas_wanted, batch[0]))
        else:
            self._block(task)
            yield Result(task, Verdict.TOO_DEAR, outcome.log, outcome.gas_wanted)

    def _together(self) -> Iterator[Result]:
        """Tries without the most expensive one, two, four, ... whether the others can share the update."""
        dear, self._dear = sorted(self._dear, key=lambda each: each[0]), []
        if not self._sender.updates:  # another batch has paid for it
            self._rest = [datagram for _, datagram in dear]
            return
        left_out = 1
        # guard: h186-nobody-shares-the-update test_h186_a_heavy_packet_holds_up_none_of_those_beside_it
        while len(dear) - left_out > 1:
            batch = [datagram for _, datagram in dear[:-left_out]]
            outcome = self._sender.send([datagram.message for datagram in batch])
            if action_of(outcome) is not Action.HOLD:
                dear = dear[-left_out:]
                yield from self._judge(batch, outcome)
                break
            left_out *= 2
        for gas, datagram in dear:
            yield Result(datagram.task, Verdict.TOO_DEAR, "not sent: alone it costs too much", gas)

    def _split(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        if len(batch) > 1:
            middle = len(batch) // 2
            yield from self._send(batch[:middle])
            yield from self._send(batch[middle:])
            return
        task = batch[0].task
        self._block(task)
        yield Result(task, Verdict.FAILED, printable(f"{refusal(outcome)} {outcome.log}".strip()))

    def _settle(self, batch: Sequence[Datagram], outcome: TxOutcome) -> Iterator[Result]:
        effects = set(event_keys(outcome.events, _EFFECTS))
        for datagram in batch:
            if took_effect(datagram.task, effects):
                self._metrics.count(datagram.task.key.kind)
                yield Result(datagram.task, Verdict.EFFECTIVE)
            else:
                yield self._redundant(datagram.task)

    def _redundant(self, task: Task) -> Result:
        self._metrics.redundant += 1
        return Result(task, Verdict.RECEIVED if task.key.kind == Kind.RECV else Verdict.GONE)

    def _block(self, task: Task) -> None:
        if task.ordered:
            self._blocked.add((task.key.channel, task.key.kind))

    def _is_blocked(self, task: Task) -> bool:
        return (task.key.channel, task.key.kind) in self._blocked


_EVENT = {
    Kind.RECV: RECV_PACKET,
    Kind.ACKNOWLEDGE: ACKNOWLEDGE_PACKET,
    Kind.TIMEOUT: TIMEOUT_PACKET,
    Kind.TIMEOUT_ON_CLOSE: TIMEOUT_PACKET,
}
_EFFECTS = frozenset(_EVENT.values())


def took_effect(task: Task, effects: Set[EventKey]) -> bool:
    """Whether the message of `task` is among the `effects`, the packet events of its successful transaction.

    A message without a packet always takes effect, or fails.
    """
    packet = task.packet
    if packet is None:
        return True
    return (_EVENT[task.key.kind], name_on_a(packet), packet.sequence) in effects
