"""Precedence of blocks: a pause of the garbage collector, and priority over rebuilds of old versions.

A block creates thousands of nodes and no cycles; collector passes over them would double its cost.
"""

import gc
from threading import Event, Lock

_GUARD = Lock()
_HOLDERS: list[bool] = []
"""One entry per active `with` block of any thread; the first is the collector's state before."""


class GcPaused:
    """A `with` block without automatic collection; the end of the last one restores the collector's state."""

    __slots__ = ()

    def __enter__(self) -> None:
        with _GUARD:
            _HOLDERS.append(gc.isenabled())
            gc.disable()

    def __exit__(self, *_error: object) -> None:
        with _GUARD:
            first = _HOLDERS[0]
            _HOLDERS.pop()
            if not _HOLDERS and first:
                gc.enable()


_TURN = 0.05
"""Maximum wait of a rebuild for a block, in seconds; then it does one slice, so that it makes progress."""
_NAP = 0.001
"""Pause between slices while no block is executed, in seconds: a thread that never sleeps delays other
threads by five milliseconds whenever they release Python's interpreter lock, as each disk read does."""


class BlockPriority:
    """Reentrant context manager around the execution of a block, for one thread."""

    def __init__(self) -> None:
        self._idle, self._never = Event(), Event()
        self._idle.set()
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1
        self._idle.clear()

    def __exit__(self, *_error: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._idle.set()

    def yield_to_block(self) -> None:
        """Wait for the block being executed, for a limited time. The caller holds no lock."""
        if not self._idle.wait(_TURN):
            return
        self._never.wait(_NAP)
