"""Pauses Python's automatic garbage collection while many nodes are created.

A block makes thousands of nodes and no cycles; each pass over them would double its cost.
"""

import gc
from types import TracebackType


class CollectorPaused:
    """A `with` block without automatic collection, unless it was off already."""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._was_on:
            gc.enable()
