"""The last few answers, so that one block is not asked for twice."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """Values by height; the oldest asked for goes first."""

    def __init__(self, size: int) -> None:
        """Keeps `size` values."""
        self._size = size
        self._values: OrderedDict[int, V] = OrderedDict()

    def get(self, height: int, ask: Callable[[int], V]) -> V:
        """The value of a height; asks for it if it is not kept."""
        if height not in self._values:
            self._values[height] = ask(height)
            if len(self._values) > self._size:
                self._values.popitem(last=False)
        return self._values[height]
