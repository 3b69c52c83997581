"""A cache of the last few answers, so that no block is queried twice."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class HeightCache(Generic[V]):
    """Values by height; the oldest entry is evicted first. Several threads may use it at once."""

    def __init__(self, size: int) -> None:
        """Keeps `size` values."""
        self._size = size
        self._values: OrderedDict[int, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, height: int, ask: Callable[[int], V]) -> V:
        """The value at a height; calls `ask` if it is not cached: two threads may at once."""
        with self._lock:
            if height in self._values:
                return self._values[height]
        value = ask(height)
        with self._lock:
            self._values[height] = value
            if len(self._values) > self._size:
                self._values.popitem(last=False)
        return value
