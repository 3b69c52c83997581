"""What the last round found, for all who ask: threads of the server read it while the next round works."""

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from ibc_indexer.coverage import Heights
from ibc_indexer.job import Outcome


@dataclass(frozen=True)
class Round:
    """A run of the index that succeeded."""

    outcome: Outcome
    seconds: float  # it took
    ended: float  # unix seconds

    @property
    def events(self) -> int:
        """Packet events that it followed."""
        return sum(segment.manifest.rows for segment in self.outcome.segments)

    @cached_property
    def gaps(self) -> dict[str, Heights]:
        """By chain the heights that lack: of a packet table tens of thousands of ranges."""
        return {chain: known.gaps for chain, known in self.outcome.coverage.items()}


class State(NamedTuple):
    """How the program is."""

    last: Round | None = None
    rounds: int = 0
    failures: int = 0
    alerts: int = 0
    alerts_failed: int = 0
    error: str = ""  # of the last round; "" if it succeeded, or nothing changed since


class Board:
    """The newest state; each reader gets one value that no longer moves."""

    def __init__(self) -> None:
        self._state = State()
        self._lock = Lock()

    def read(self) -> State:
        """The state as it is."""
        return self._state

    def post(self, last: Round) -> None:
        """A round succeeded."""
        with self._lock:
            self._state = self._state._replace(last=last, rounds=self._state.rounds + 1, error="")

    def looked(self) -> None:
        """The inputs are as the last round found them."""
        with self._lock:
            self._state = self._state._replace(error="")

    def failed(self, reason: str) -> None:
        """A round failed."""
        with self._lock:
            self._state = self._state._replace(failures=self._state.failures + 1, error=reason)

    def alerted(self, *, failed: bool) -> None:
        """The alert command was run."""
        with self._lock:
            now = self._state
            self._state = now._replace(alerts=now.alerts + 1, alerts_failed=now.alerts_failed + failed)
