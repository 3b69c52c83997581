"""Shared state of the live index, which server threads read while the next round runs."""

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from pyibc.indexer.coverage import Heights
from pyibc.indexer.pipeline.report import Outcome


@dataclass(frozen=True)
class Round:
    """Successful run of the index."""

    outcome: Outcome
    seconds: float  # duration
    ended: float  # unix seconds

    @property
    def events(self) -> int:
        """Number of packet events in the tables."""
        return self.outcome.events

    @cached_property
    def gaps(self) -> dict[str, Heights]:
        """Missing heights by chain; cached, because a packet table may have tens of thousands of ranges."""
        return {chain: known.gaps for chain, known in self.outcome.coverage.items()}


class LiveState(NamedTuple):
    """Status of the live index."""

    last: Round | None = None
    rounds: int = 0
    failures: int = 0
    alerts: int = 0
    alerts_failed: int = 0
    checked: float | None = None  # unix seconds of the last successful check of the inputs
    error: str = ""  # of the last round; "" if it succeeded, or the inputs were unchanged


class Board:
    """Holder of the latest status; readers get immutable values."""

    def __init__(self) -> None:
        self._state = LiveState()
        self._lock = Lock()

    def read(self) -> LiveState:
        """Return the latest status."""
        return self._state

    def post(self, last: Round) -> None:
        """Record a successful round."""
        with self._lock:
            rounds = self._state.rounds + 1
            self._state = self._state._replace(last=last, rounds=rounds, checked=last.ended, error="")

    def looked(self, at: float) -> None:
        """Record a check that found the inputs unchanged, at `at` unix seconds."""
        with self._lock:
            self._state = self._state._replace(checked=at, error="")

    def failed(self, reason: str) -> None:
        """Record a failed round."""
        with self._lock:
            self._state = self._state._replace(failures=self._state.failures + 1, error=reason)

    def alerted(self, *, failed: bool) -> None:
        """Record a run of the alert command."""
        with self._lock:
            now = self._state
            self._state = now._replace(alerts=now.alerts + 1, alerts_failed=now.alerts_failed + failed)
