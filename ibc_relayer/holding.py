"""Packets that a link's policy holds back: they wait, are listed, and go when they may."""

from collections.abc import Iterable

from ibc_relayer.backlog import Backlog
from ibc_relayer.path import Side, other
from ibc_relayer.policy import RELAY_ALL, Policy, reason_to_wait
from ibc_relayer.task import Held, Kind, Task, TaskKey


class Holding:
    """The deliveries that a policy holds back; what was delivered is brought to its end by any relayer's."""

    def __init__(self, policy: Policy, backlog: Backlog) -> None:
        """Holds nothing back before `judge`."""
        self._policy = policy
        self._backlog = backlog
        self._held = Held()
        self._reasons: dict[TaskKey, str] = {}

    def judge(self, tasks: Iterable[Task]) -> bool:
        """Holds back those of `tasks` that must wait; returns whether there are any."""
        if self._policy == RELAY_ALL:
            return False
        found = False
        for task in tasks:
            if task.key.kind is Kind.RECV and task.packet is not None:
                reason = reason_to_wait(self._policy, task.packet)
                if reason is not None:
                    self._held.add(task.key)
                    self._reasons[task.key] = reason
                    found = True
        return found

    def besides(self, excluded: Held) -> Held:
        """`excluded`, and what is held back."""
        return _Both(excluded, self._held) if self._reasons else excluded

    def reasons(self) -> dict[TaskKey, str]:
        """What is held back, and why; packets that are gone are forgotten."""
        for key in [key for key in self._reasons if not self._is_pending(key)]:
            del self._reasons[key]
            self._held.discard(key)
        return self._reasons

    def _is_pending(self, key: TaskKey) -> bool:
        return key.sequence in self._backlog.channels[key.channel].sent_from(other(key.target)).packets


class _Both(Held):
    """What is in either of two."""

    def __init__(self, first: Held, second: Held) -> None:
        super().__init__()
        self._both = first, second

    def of(self, kind: Kind, channel: int, target: Side) -> set[int]:
        """The sequences that are in either; not to be changed."""
        first, second = (each.of(kind, channel, target) for each in self._both)
        return first | second if second else first
