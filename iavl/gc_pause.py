"""Pause of Python's cyclic garbage collector while many nodes are created.

A block creates thousands of nodes and no cycles; collector passes over them would double its cost.
"""

import gc
from threading import Lock
from types import TracebackType

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _GUARD:
            first = _HOLDERS[0]
            _HOLDERS.pop()
            if not _HOLDERS and first:
                gc.enable()
