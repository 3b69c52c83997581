"""Messages that a link defers: they stay pending, are listed with a reason, and are sent later.

A policy, like a price limit, defers any message of a packet: delivery, acknowledgement and timeout.
"""

from collections.abc import Iterable, Iterator

from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog, DeferredMessage
from pyibc.relayer.packets.policy import RELAY_ALL, Policy, reason_to_wait, sequence_reason
from pyibc.relayer.packets.task import Result, Task, TaskKey, TaskKind, TaskSet, union
from pyibc.relayer.paths.path import SIDES, Side

# -- messages that cost more than the relayer may pay for their packets; they are retried later
#
# A message that the current gas price makes affordable is retried at once. The others are retried in
# groups after some blocks, those with the oldest attempt first: the packets of a transaction share the
# cost of its client update, so messages that are too expensive alone may be affordable together. Time is
# counted in blocks of the target chain.

RETRY_BATCH = 100
"""Maximum number of messages retried together: each may cost a simulation."""
RETRY_BLOCKS = 20
"""Blocks before the first retry; doubled after each retry that fails, at most `MAX_DOUBLINGS` times."""
MAX_DOUBLINGS = 4


class UnprofitableMessages:
    """Messages that are too expensive now, for both chains of a link."""

    def __init__(self, endpoints: tuple[ChainEndpoint, ChainEndpoint]) -> None:
        """Start with no messages."""
        self._endpoints = endpoints
        self._gas: dict[TaskKey, int] = {}  # in the order of their last attempt
        self._next = [0, 0]  # heights of the next retry, by target
        self._retries = [0, 0]  # consecutive retries that failed, by target
        self._priced = [0, 0]  # heights at which the gas price was queried, by target
        self.excluded = TaskSet()
        """Messages left out of plans."""
        self.reasons: dict[TaskKey, str] = {}
        """Reasons, by message."""

    def add(self, result: Result, height: int) -> None:
        """Add a message that was too expensive when the tip of its target chain was `height`."""
        key = result.task.key
        self._gas.pop(key, None)
        self._gas[key] = result.gas
        self.reasons[key] = result.reason
        self.excluded.add(key)
        if self._next[key.target] <= height:
            doublings = min(self._retries[key.target], MAX_DOUBLINGS)
            # guard: h187-as-often-as-ever {RETRY_BLOCKS * 2**doublings => 1}
            #   test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time
            self._next[key.target] = height + RETRY_BLOCKS * 2**doublings
            self._retries[key.target] += 1

    def discard(self, key: TaskKey) -> None:
        """Remove a message that was sent, or whose packet is no longer pending."""
        if self.reasons.pop(key, None) is None:
            return
        self._gas.pop(key, None)
        self.excluded.discard(key)
        if not any(self._waiting(key.target)):
            self._retries[key.target] = 0

    def release(self, side: Side, height: int) -> None:
        """Let the messages be planned again that may be retried at tip `height` of the chain on `side`."""
        if not any(self._waiting(side)) or height == self._priced[side]:
            return
        self._priced[side] = height
        if height >= self._next[side]:
            # guard: h187-all-at-once {range(RETRY_BATCH) => self._gas}
            #   test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time
            found = [key for key, _ in zip(self._waiting(side), range(RETRY_BATCH), strict=False)]
        else:
            found = self._affordable(side)
        for key in found:
            self.excluded.discard(key)

    def _affordable(self, side: Side) -> list[TaskKey]:
        fees = self._endpoints[side].extras.fees
        if fees is None:
            return []
        try:
            offer = fees.offer()
        except RelayerError:  # an unreachable chain fails the submissions too; the retry waits for a block
            return []
        return [key for key in self._waiting(side) if self._gas[key] and offer.affords(self._gas[key])]

    def _waiting(self, side: Side) -> Iterator[TaskKey]:
        return (key for key in self._gas if key.target == side and key in self.excluded)


# -- deferred messages


class DeferredMessages:
    """Messages of a link that its policy or a price limit defers."""

    def __init__(
        self, policy: Policy, backlog: Backlog, endpoints: tuple[ChainEndpoint, ChainEndpoint]
    ) -> None:
        """Start with no deferred messages."""
        self._policy = policy
        self._backlog = backlog
        self._excluded = TaskSet()
        self._reasons: dict[TaskKey, str] = {}
        self.unprofitable = UnprofitableMessages(endpoints)
        """Messages deferred for their price."""

    def apply_policy(self, tasks: Iterable[Task]) -> bool:
        """Defer the tasks that the policy does not allow; return whether there are any."""
        if self._policy == RELAY_ALL:
            return False
        found = False
        for task in tasks:
            end = self._backlog.channels[task.key.channel].path.end(task.key.sender)
            reason = sequence_reason(self._policy, end, task.key.sequence, ordered=task.ordered)
            # guard: a-denied-sender-s-timeouts-are-paid {task.packet is not None => task.key.kind is
            #   TaskKind.RECV} test_no_message_of_a_packet_that_the_policy_denies_is_paid
            if reason is None and task.packet is not None:
                reason = reason_to_wait(self._policy, task.packet)
            if reason is not None:
                self._excluded.add(task.key)
                self._reasons[task.key] = reason
                found = True
        return found

    def exclusions(self, excluded: TaskSet) -> TaskSet:
        """Return the union of `excluded` and all deferred messages."""
        return union(excluded, self._excluded, self.unprofitable.excluded)

    def reasons(self) -> dict[TaskKey, str]:
        """Return the reason for each deferred message, without those that are no longer pending."""
        for key in [key for key in self._reasons if not self._backlog.is_due(key)]:
            del self._reasons[key]
            self._excluded.discard(key)
        for key in [key for key in self.unprofitable.reasons if not self._backlog.is_due(key)]:
            self.unprofitable.discard(key)
        return {**self._reasons, **self.unprofitable.reasons}

    def report(self, metrics: Metrics, journal: Journal | None) -> None:
        """Write the deferred messages to the metrics, and to the journal if they changed."""
        held = {key.text: reason for key, reason in self.reasons().items()}
        if held != metrics.held and journal is not None:
            metrics.unsaved += not journal.save_deferred(self.listed())
        metrics.held = held

    def listed(self, reported: Iterable[DeferredMessage] = ()) -> list[DeferredMessage]:
        """Return all deferred messages, and those `reported` by another process that are still pending."""
        found = {self._place(key): reason for key, reason in self.reasons().items()}
        due = {
            (chain, end, message, sequence): reason
            for chain, end, message, sequence, reason in reported
            for key in self._keys(chain, end, message, sequence)
            if self._backlog.is_due(key)
        }
        return [DeferredMessage(*place, reason) for place, reason in sorted({**due, **found}.items())]

    def _place(self, key: TaskKey) -> tuple[str, str, str, int]:
        end = self._backlog.channels[key.channel].path.end(key.sender)
        return end.chain_id, "/".join(end.name), key.kind.value, key.sequence

    def _keys(self, chain: str, end: str, message: str, sequence: int) -> Iterator[TaskKey]:
        for number in range(len(self._backlog.channels)):
            for target in SIDES:
                key = TaskKey(TaskKind(message), number, target, sequence)
                if self._place(key)[:2] == (chain, end):
                    yield key
