"""Backoff of a link's failed tasks: they are retried for as long as their packets are pending."""

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from pyibc.relayer.links.reconcile import PacketKey
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.task import Result, Task, TaskKey, TaskSet
from pyibc.relayer.paths.path import SIDES, Side

FIRST_S, LONGEST_S = 1.0, 600.0
"""First and longest time before a retry, seconds; doubled after each failure."""
FIRST_PAID_S, LONGEST_PAID_S = 60.0, 86_400.0
"""The same after failures in blocks, whose fees were paid; quadrupled after each."""
UPDATE_S = 86_400.0
"""Time between two client updates for tasks that failed before, seconds; one serves all tasks of a side."""
RETRIES = 100
"""Maximum number of tasks that are retried together."""


class _Failing(NamedTuple):
    """Task that failed, and was not done since."""

    since_s: float  # of the first failure
    failures: int
    paid: int  # failures in blocks
    due_s: float
    reason: str  # of the last failure


class Backoff:
    """Failed tasks that wait for a retry."""

    def __init__(self, attempts: int, clock: Callable[[], float]) -> None:
        """Report a task as given up after `attempts` failures; `clock` returns seconds."""
        self._attempts = attempts
        self._clock = clock
        self._failing: dict[TaskKey, _Failing] = {}
        self._waiting: set[TaskKey] = set()
        self._updated_s = dict.fromkeys(SIDES, clock())
        self.given_up: dict[TaskKey, str] = {}
        """Tasks that have failed `attempts` times, and the last reasons; they are retried like the others."""
        self.excluded = TaskSet()
        """Tasks left out of plans, since they wait for a retry."""
        self._is_changed = False  # `given_up`, since the last report

    def next_round(self) -> None:
        """Start a round: tasks whose time has come may be planned again."""
        now_s = self._clock()
        due = [key for key in self._waiting if self._failing[key].due_s <= now_s]
        due.sort(key=lambda key: self._failing[key].due_s)
        # guard: all-retries-at-once {due[:RETRIES] => due} test_failed_tasks_are_retried_a_hundred_at_a_time
        for key in due[:RETRIES]:
            self._release(key)

    def failed(self, result: Result) -> None:
        """Record a failure: the task waits 1, 2, 4, ... seconds, at most ten minutes.

        If its fee was paid, it waits 1, 4, 16, ... minutes, at most a day.
        """
        key, now_s = result.task.key, self._clock()
        before = self._failing.get(key) or _Failing(now_s, 0, 0, now_s, "")
        failures, paid = before.failures + 1, before.paid + result.is_paid
        failing = before._replace(failures=failures, paid=paid, reason=result.reason)
        self._failing[key] = failing._replace(due_s=now_s + _delay_s(failing))
        self._waiting.add(key)
        self.excluded.add(key)
        if failing.failures >= self._attempts:
            self.given_up[key] = result.reason
            self._is_changed = True

    def postpone(self, result: Result) -> None:
        """Let a task that failed before wait as after another failure, since it could not be tried."""
        failing = self._failing.get(result.task.key)
        if failing is not None:
            self.failed(result._replace(reason=failing.reason))

    def parted(self, tasks: Sequence[Task]) -> tuple[list[Task], list[Task]]:
        """Return the new tasks, and those that failed before or follow one on an ordered channel."""
        streams = {task.key[:3] for task in tasks if task.ordered and task.key in self._failing}
        new, failed = list[Task](), list[Task]()
        for task in tasks:
            is_new = task.key not in self._failing and task.key[:3] not in streams
            (new if is_new else failed).append(task)
        return new, failed

    def may_update(self, side: Side) -> bool:
        """Return whether a client update may be paid on `side` for tasks that failed before; once a day."""
        now_s = self._clock()
        # guard: each-retry-pays-an-update always
        #   test_no_update_is_paid_for_the_retries_of_a_packet_more_than_once_a_day
        is_due = now_s - self._updated_s[side] >= UPDATE_S
        if is_due:
            self._updated_s[side] = now_s
        return is_due

    @property
    def is_empty(self) -> bool:
        """Return whether no task has failed."""
        return not self._failing

    def next_retry_s(self) -> float | None:
        """Return the time until the next retry, seconds; None: only tasks that were given up wait."""
        due = [self._failing[key].due_s for key in self._waiting if key not in self.given_up]
        return max(0.0, min(due) - self._clock()) if due else None

    def oldest_s(self) -> float:
        """Return the time since the first failure of tasks that were given up, seconds; 0: there are none."""
        since = [self._failing[key].since_s for key in self.given_up]
        return max(0.0, self._clock() - min(since)) if since else 0.0

    def report(self, metrics: Metrics) -> None:
        """Write the tasks that were given up to the metrics."""
        metrics.given_up_s = self.oldest_s()
        if self._is_changed:
            metrics.given_up = {key.text: reason for key, reason in self.given_up.items()}
        self._is_changed = False

    def forgive(self, packets: Container[PacketKey]) -> None:
        """Forget the failures of tasks for these packets, since the backlog's data of them was corrected."""
        for key in [key for key in self._failing if packet_of(key) in packets]:
            self.forget(key)

    def keep(self, is_due: Callable[[TaskKey], bool]) -> None:
        """Forget tasks that are no longer due, since a packet was relayed by others or has timed out."""
        for key in [key for key in self._failing if not is_due(key)]:
            self.forget(key)

    def forget(self, key: TaskKey) -> None:
        """Forget the failures of a task, which is done."""
        if self._failing.pop(key, None) is not None:
            self._release(key)
            self._is_changed |= self.given_up.pop(key, None) is not None

    def _release(self, key: TaskKey) -> None:
        self._waiting.discard(key)
        self.excluded.discard(key)


def _delay_s(failing: _Failing) -> float:
    free = retry_delay_s(failing.failures)
    # guard: what-is-paid-is-retried-as-often drop test_retries_that_are_paid_become_rare
    if failing.paid:
        return max(free, min(LONGEST_PAID_S, FIRST_PAID_S * 4.0 ** min(failing.paid - 1, 32)))
    return free


def retry_delay_s(failures: int) -> float:
    """Return the time before a retry after so many failures that cost nothing, seconds."""
    return min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 32))


def packet_of(key: TaskKey) -> PacketKey:
    """Return the packet of a task: channel index, sender's side, sequence."""
    return key.channel, key.sender, key.sequence
