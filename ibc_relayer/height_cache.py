"""A cache of the last few answers, so that no block is queried twice."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class HeightCache(Generic[V]):
    """Values by height; the oldest entry is evicted first. Of several threads that want one, one asks."""

    def __init__(self, size: int) -> None:
        """Keeps `size` values."""
        self._size = size
        self._values: OrderedDict[int, V] = OrderedDict()
        self._asking: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, height: int, ask: Callable[[int], V]) -> V:
        """The value at a height; calls `ask` if it is not cached, which may fail: the next one asks again."""
        with self._lock:
            if height in self._values:
                return self._values[height]
            asking = self._asking.setdefault(height, threading.Lock())
        with asking:
            return self._asked(height, ask)

    def put(self, height: int, value: V) -> None:
        """Keeps a value that nobody asked for yet."""
        with self._lock:
            self._values[height] = value
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def __contains__(self, height: int) -> bool:
        with self._lock:
            return height in self._values

    def forget(self) -> None:
        """Drops all values."""
        with self._lock:
            self._values.clear()

    def _asked(self, height: int, ask: Callable[[int], V]) -> V:
        with self._lock:
            if height in self._values:
                return self._values[height]
        try:
            value = ask(height)
        finally:
            with self._lock:
                self._asking.pop(height, None)
        self.put(height, value)
        return value
