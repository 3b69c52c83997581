"""Holds: works that failed wait longer each time, then are given up, so that nothing queues behind them."""

from ibc_relayer.work import Result, WorkKey


class Holds:
    """Which works to leave out of the next plan. Rounds stand for time: no clock."""

    def __init__(self, attempts: int) -> None:
        """A work is tried `attempts` times in all."""
        self._attempts = attempts
        self._round = 0
        self._failures: dict[WorkKey, int] = {}
        self._until: dict[WorkKey, int] = {}
        self.given_up: dict[WorkKey, str] = {}

    def next_round(self) -> None:
        """Lets go of what has waited long enough."""
        self._round += 1
        for key in [key for key, until in self._until.items() if until <= self._round]:
            del self._until[key]

    def failed(self, result: Result) -> None:
        """Notes a failure: the work waits 1, 2, 4, ... rounds, and is given up after the last attempt."""
        key = result.work.key
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        if failures >= self._attempts:
            self.given_up[key] = result.reason
        else:
            self._until[key] = self._round + 1 + 2 ** (failures - 1)

    def __contains__(self, key: object) -> bool:
        return key in self._until or key in self.given_up
