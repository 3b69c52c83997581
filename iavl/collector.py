"""Pauses Python's automatic garbage collection while many nodes are created.

A block makes thousands of nodes and no cycles; each pass over them would double its cost.
"""

import gc
from threading import Lock
from types import TracebackType

_GUARD = Lock()
_HOLDERS: list[bool] = []
"""One entry for each `with` block under way, of any thread; the first tells whether it was on before."""


class CollectorPaused:
    """A `with` block without automatic collection; when the last of them ends it is as it was."""

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
