"""What a process keeps of earlier work, bounded by the bytes that it weighs and not by the entries.

Both hold results of pure functions, so that what is kept never changes a verdict, only its cost. `Kept` is
filled by hand, where input is only worth keeping once it has been accepted; `kept` stands where lru_cache
would, for functions that refuse by raising: what they raise on is not kept. docs/security.md lists them all.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Any, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

ENTRY = 200
"""Bytes of an entry beside its key and value: its place in a table, hashes, headers of objects."""

MEGABYTE = 1 << 20


class Kept(dict[_K, _V]):
    """A dict, emptied before its entries weigh more than `limit` bytes; read as a dict, at its speed."""

    __slots__ = ("limit", "weight")

    def __init__(self, limit: int) -> None:
        """Keeps nothing yet."""
        super().__init__()
        self.limit = limit
        self.weight = 0

    def keep(self, key: _K, value: _V, weight: int) -> None:
        """Sets an entry of `weight` bytes, key and objects below included; one that is replaced counts on.

        One beyond an eighth of the limit is left out: none drives all others away.
        """
        weight += ENTRY
        if weight > self.limit >> 3:
            return
        if self.weight + weight > self.limit:
            self.clear()
        self[key] = value
        self.weight += weight

    def clear(self) -> None:
        """Forgets everything."""
        super().clear()
        self.weight = 0


def kept(most: int, limit: int = MEGABYTE) -> Callable[[Callable[[_K], _V]], Callable[[_K], _V]]:
    """As `lru_cache(most)`, and emptied when its entries may weigh more than `limit` bytes and the last one.

    A hit costs what it costs there; entries are weighed when they are made.
    """

    def mark(function: Callable[[_K], _V]) -> Callable[[_K], _V]:
        weight = 0

        @wraps(function)
        def weighed(given: _K) -> _V:
            nonlocal weight
            made = function(given)
            added = ENTRY + weight_of(given) + weight_of(made)
            weight += added
            if weight > limit:
                cached.cache_clear()
                weight = added
            return made

        cached = lru_cache(most)(weighed)
        return cached

    return mark


def weight_of(held: Any) -> int:
    """About how many bytes an object and all that it holds take."""
    size, left = 0, [held]
    for each in left:  # which grows: a call for each object would be dear
        size += each.__sizeof__() + 16
        kind = type(each)
        if kind is str or kind is bytes or kind is int:
            continue
        if isinstance(each, tuple):
            left += tuple.__iter__(each)  # a record refuses to be a sequence
        elif isinstance(each, list):
            left += each
        else:
            left += [getattr(each, name) for name in getattr(kind, "__dataclass_fields__", ())]
    return size
