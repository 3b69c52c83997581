"""A cache of the last few answers, so that no block is queried twice."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class HeightCache(Generic[V]):
    """Values by height; the oldest entry is evicted first."""

    def __init__(self, size: int) -> None:
        """Keeps `size` values."""
        self._size = size
        self._values: OrderedDict[int, V] = OrderedDict()

    def get(self, height: int, ask: Callable[[int], V]) -> V:
        """The value at a height; calls `ask` if it is not cached."""
        if height not in self._values:
            self._values[height] = ask(height)
            if len(self._values) > self._size:
                self._values.popitem(last=False)
        return self._values[height]
