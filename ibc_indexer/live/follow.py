"""Indexes again whenever the inputs have changed or the results are gone, until it is told to stop."""

import threading
import time
from collections.abc import Callable, Iterable

from ibc_core.errors import IbcError
from ibc_indexer.engines import OpenEngine
from ibc_indexer.inputs import files_of
from ibc_indexer.job import Outcome, Tell, index
from ibc_indexer.lake.state import NAME
from ibc_indexer.live.board import Board, Round
from ibc_indexer.storage.locations import Location

PAUSE_S = 1.0  # between two looks at the inputs
LONGEST_S = 60.0  # between two attempts after failures

Print = tuple[tuple[str, int, int], ...]
"""What the inputs look like from outside: path, size and time of change of every file."""


class Stopped(Exception):
    """A run was broken off between two of its steps: the next one does it again."""


class Follower:
    """Runs the index while its inputs grow; what it finds goes to a board.

    The engine's opener is the same for all rounds: Spark's session stays open between them.
    """

    def __init__(
        self,
        open_engine: OpenEngine,
        inputs: Iterable[Location],
        out: Location,
        board: Board,
        *,
        tell: Tell = lambda _: None,
        pause_s: float = PAUSE_S,
    ) -> None:
        """Nothing runs yet; `found`, which may be set, hears of every outcome, after the board."""
        self._open = open_engine
        self._inputs = list(inputs)
        self._out = out
        self._board = board
        self._tell = tell
        self._pause = pause_s
        self.found: Callable[[Outcome], None] = lambda _: None
        self._seen: Print | None = None  # the inputs of the last round that succeeded

    def run(self, stop: threading.Event) -> None:
        """Looks at the inputs every `pause_s` seconds until `stop` is set.

        A round that fails is told, counted and tried again, after waits that double up to `LONGEST_S`.
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
                    return  # an interrupt reaches the processes that seal as well
                self._board.failed(str(error))
                self._tell(f"this round failed, {wait:g} s until the next: {error}")
                stop.wait(wait)
                wait = min(2 * wait, max(LONGEST_S, self._pause))
                continue
            stop.wait(wait)

    def look(self, stop: threading.Event) -> bool:
        """Runs the index if the inputs have changed since the last run, or its results are gone.

        Returns:
            Whether it ran.

        Raises:
            Stopped: `stop` was set meanwhile.
            IbcError, OSError: the run failed; the next look tries again.
        """

        def tell(_: str) -> None:
            if stop.is_set():
                raise Stopped

        now = self._looks()
        if now == self._seen and (self._out / NAME).is_file():
            self._board.looked()
            return False
        started = time.monotonic()
        outcome = index(self._open, self._inputs, self._out, tell)
        self._seen = now  # what came after it was taken makes another round
        seconds = time.monotonic() - started
        self._board.post(Round(outcome, seconds, time.time()))
        totals = outcome.answers.totals
        self._tell(f"{totals.packets} packets, {totals.stuck} stuck, in {seconds:.2f} s")
        self.found(outcome)
        return True

    def _looks(self) -> Print:
        return tuple(_looks(path) for path in files_of(self._inputs, out=self._out))


def _looks(path: Location) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except OSError:  # gone since it was listed, or not to be read: the run says which
        return str(path), -1, 0
    return str(path), found.st_size, found.st_mtime_ns
