"""Which tasks of a link wait after they failed, and which are given up."""

from collections.abc import Container

from ibc_relayer.path import other
from ibc_relayer.reconcile import PacketKey
from ibc_relayer.task import Held, Kind, Result, TaskKey


class Backoff:
    """Which tasks to leave out of the next plan. Time is counted in rounds: no clock."""

    def __init__(self, attempts: int) -> None:
        """A task is attempted `attempts` times in all."""
        self._attempts = attempts
        self._round = 0
        self._failures: dict[TaskKey, int] = {}
        self._until: dict[TaskKey, int] = {}
        self.given_up: dict[TaskKey, str] = {}
        self.lost = Held()
        """Tasks that were given up."""
        self.held = Held()
        """These, and those that wait."""
        self.changes = 0
        """Of what was given up."""

    def next_round(self) -> None:
        """Starts a round: tasks whose delay is over may be planned again."""
        self._round += 1
        for key in [key for key, until in self._until.items() if until <= self._round]:
            del self._until[key]
            self.held.discard(key)

    def failed(self, result: Result) -> None:
        """Records a failure: the task waits 1, 2, 4, ... rounds, and is given up after the last attempt."""
        key = result.task.key
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        self.held.add(key)
        if failures >= self._attempts:
            self.given_up[key] = result.reason
            self.lost.add(key)
            self.changes += 1
        else:
            self._until[key] = self._round + 1 + 2 ** (failures - 1)

    def forgive(self, packets: Container[PacketKey]) -> None:
        """Forgets the failures of tasks for these packets: what they were made from has been corrected."""
        for key in [key for key in self._failures if packet_of(key) in packets]:
            del self._failures[key]
            self._until.pop(key, None)
            self.changes += self.given_up.pop(key, None) is not None
            self.lost.discard(key)
            self.held.discard(key)


def packet_of(key: TaskKey) -> PacketKey:
    """The packet that a task is for: by its channel, its sender's side, and its sequence."""
    return key.channel, other(key.target) if key.kind == Kind.RECV else key.target, key.sequence
