"""Blocks before old versions: whoever rebuilds one lets a block pass."""

from threading import Event
from types import TracebackType

_TURN = 0.05
"""Seconds that a block may hold up a rebuild: then the rebuild does one slice, so that it ends some day."""
_NAP = 0.001
"""Seconds between slices while no block is under way: a thread that never sleeps keeps others from Python's
interpreter for five milliseconds whenever they have let go of it, as each read of the disk does."""


class Precedence:
    """A `with` block is a block under way, of one thread; it may be entered again within."""

    def __init__(self) -> None:
        self._idle, self._never = Event(), Event()
        self._idle.set()
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1
        self._idle.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self._idle.set()

    def give_way(self) -> None:
        """Waits for the block under way, but not for ever. Without any lock held."""
        if not self._idle.wait(_TURN):
            return
        self._never.wait(_NAP)
