"""Loop that reruns the index when the inputs have changed or the results are gone.

Server threads read its state while the next round runs.
"""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pyibc.core.errors import IbcError
from pyibc.http.reasons import reason_of
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.files import SourceFile, list_files
from pyibc.indexer.job import Tell, index
from pyibc.indexer.live.aggregates import live_answers
from pyibc.indexer.locations import AnyPath, existing
from pyibc.indexer.pipeline.lake import Engine
from pyibc.indexer.pipeline.places import CHECKPOINT, RESULTS
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.report.options import DEFAULT_OPTIONS

PAUSE_S = 1.0  # between two checks of the inputs
LONGEST_S = 60.0  # maximum backoff after failures


@dataclass(frozen=True)
class Round:
    """Successful run of the index."""

    outcome: Outcome
    seconds: float  # duration
    ended: float  # unix seconds

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


class Stopped(Exception):
    """Interruption of a run between two steps, by the request to stop."""


class Follower:
    """Loop that indexes changed inputs and posts the outcomes to a board.

    All rounds share the engine, so a Spark session stays open between them.
    """

    def __init__(
        self,
        engine: Engine,
        inputs: Iterable[AnyPath],
        out: Path,
        board: Board,
        *,
        tell: Tell = lambda _: None,
        pause_s: float = PAUSE_S,
    ) -> None:
        """Configure the loop; the attribute `found`, if set, is called with every outcome after the board.

        The attribute `options` has the options of the report.
        """
        self._engine = engine
        self._inputs = list(inputs)
        self._out = out
        self._board = board
        self._tell = tell
        self._pause = pause_s
        self.found: Callable[[Outcome], None] = lambda _: None
        self.options = DEFAULT_OPTIONS
        self._seen: list[SourceFile] | None = None  # inputs of the last successful round

    def run(self, stop: threading.Event) -> None:
        """Check the inputs every `pause_s` seconds until `stop` is set.

        A failed round is logged, counted and retried with a backoff that doubles up to `LONGEST_S`.
        """
        wait = self._pause
        while not stop.is_set():
            try:
                self.look(stop)
                wait = self._pause
            except Stopped:
                return
            except (IbcError, OSError) as error:
                if stop.is_set():
                    return  # an interrupt also reaches the decoding processes
                reason = _reason(error)
                self._board.failed(reason)
                self._tell(f"the run failed, next attempt in {wait:g} s: {reason}")
                stop.wait(wait)
                wait = min(2 * wait, max(LONGEST_S, self._pause))
                continue
            stop.wait(wait)

    def look(self, stop: threading.Event) -> bool:
        """Run the index if the inputs have changed since the last run, or its results are gone.

        Returns:
            Whether the index ran.

        Raises:
            Stopped: `stop` was set during the run.
            IbcError, OSError: the run failed; the next call retries.
        """

        def tell(_: str) -> None:
            if stop.is_set():
                raise Stopped

        now = self._looks()
        if now == self._seen and (self._out / CHECKPOINT).is_dir():
            self._board.looked(time.time())
            return False
        started = time.monotonic()
        outcome = index(self._engine, self._inputs, self._out, tell, self.options, ask=live_answers)
        self._seen = now  # later changes cause another round
        seconds = time.monotonic() - started
        self._board.post(Round(outcome, seconds, time.time()))
        totals = outcome.answers.totals
        waiting = f"{totals.stuck} stuck, {totals.ack_overdue} with an overdue acknowledgement"
        self._tell(f"{totals.packets} packets, {waiting}, in {seconds:.2f} s")
        self.found(outcome)
        return True

    def _looks(self) -> list[SourceFile]:
        """Return path, size and modification time of every input file."""
        results = tuple(f"{self._out.absolute()}/{name}" for name in RESULTS)
        return [file for file in list_files(existing(self._inputs)) if not file.url.startswith(results)]


def _reason(error: IbcError | OSError) -> str:
    """Return why a run failed, without the number of a system error."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {reason_of(error)}"
    return reason_of(error)
