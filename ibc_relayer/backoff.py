"""Exponential backoff of failed tasks; given up after some attempts, so that others are not delayed."""

from ibc_relayer.task import Result, TaskKey


class Backoff:
    """Which tasks to leave out of the next plan. Time is counted in rounds: no clock."""

    def __init__(self, attempts: int) -> None:
        """A task is attempted `attempts` times in all."""
        self._attempts = attempts
        self._round = 0
        self._failures: dict[TaskKey, int] = {}
        self._until: dict[TaskKey, int] = {}
        self.given_up: dict[TaskKey, str] = {}

    def next_round(self) -> None:
        """Starts a round: tasks whose delay is over may be planned again."""
        self._round += 1
        for key in [key for key, until in self._until.items() if until <= self._round]:
            del self._until[key]

    def failed(self, result: Result) -> None:
        """Records a failure: the task waits 1, 2, 4, ... rounds, and is given up after the last attempt."""
        key = result.task.key
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        if failures >= self._attempts:
            self.given_up[key] = result.reason
        else:
            self._until[key] = self._round + 1 + 2 ** (failures - 1)

    def __contains__(self, key: object) -> bool:
        return key in self._until or key in self.given_up
