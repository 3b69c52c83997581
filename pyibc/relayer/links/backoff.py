"""Backoff of a link's failed tasks."""

from collections.abc import Container

from pyibc.relayer.links.reconcile import PacketKey
from pyibc.relayer.packets.task import Result, TaskKey, TaskKind, TaskSet
from pyibc.relayer.paths.path import other


class Backoff:
    """Failed tasks that wait for a retry or were given up. Time is counted in rounds; there is no clock."""

    def __init__(self, attempts: int) -> None:
        """Give a task up after `attempts` attempts."""
        self._attempts = attempts
        self._round = 0
        self._failures: dict[TaskKey, int] = {}
        self._until: dict[TaskKey, int] = {}
        self.given_up: dict[TaskKey, str] = {}
        self.abandoned = TaskSet()
        """Tasks that were given up."""
        self.excluded = TaskSet()
        """Tasks left out of plans: those given up, and those that wait for a retry."""
        self.changes = 0
        """Number of changes of `given_up`."""

    def next_round(self) -> None:
        """Start a round: tasks whose delay is over may be planned again."""
        self._round += 1
        for key in [key for key, until in self._until.items() if until <= self._round]:
            del self._until[key]
            self.excluded.discard(key)

    def failed(self, result: Result) -> None:
        """Record a failure: the task waits 1, 2, 4, ... rounds, and is given up after the last attempt."""
        key = result.task.key
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        self.excluded.add(key)
        if failures >= self._attempts:
            self.given_up[key] = result.reason
            self.abandoned.add(key)
            self.changes += 1
        else:
            self._until[key] = self._round + 1 + 2 ** (failures - 1)

    def forgive(self, packets: Container[PacketKey]) -> None:
        """Forget the failures of tasks for these packets, since the backlog's data of them was corrected."""
        for key in [key for key in self._failures if packet_of(key) in packets]:
            del self._failures[key]
            self._until.pop(key, None)
            self.changes += self.given_up.pop(key, None) is not None
            self.abandoned.discard(key)
            self.excluded.discard(key)


def packet_of(key: TaskKey) -> PacketKey:
    """Return the packet of a task: channel index, sender's side, sequence."""
    return key.channel, other(key.target) if key.kind == TaskKind.RECV else key.target, key.sequence
