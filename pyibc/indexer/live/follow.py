"""Loop that reruns the index when the inputs have changed or the results are gone."""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from pyibc.core.errors import IbcError
from pyibc.indexer.bronze.files import SourceFile, list_files
from pyibc.indexer.job import Tell, index
from pyibc.indexer.live.aggregates import live_answers
from pyibc.indexer.live.board import Board, Round
from pyibc.indexer.locations import AnyPath, existing
from pyibc.indexer.pipeline.lake import Engine
from pyibc.indexer.pipeline.places import RESULTS
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.pipeline.steps import CHECKPOINT
from pyibc.indexer.report.options import DEFAULT_OPTIONS

PAUSE_S = 1.0  # between two checks of the inputs
LONGEST_S = 60.0  # maximum backoff after failures


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
                self._board.failed(str(error))
                self._tell(f"the run failed, next attempt in {wait:g} s: {error}")
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
