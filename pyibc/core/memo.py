"""Caches bounded by the size of their entries in bytes.

They have results of pure functions, so that a cached entry never changes a verdict, only its cost.
`ByteBoundedCache` is filled explicitly, for input to be cached only after it has been accepted. `memoize`
is a replacement for lru_cache, for functions that refuse input by raising; errors are not cached.
docs/security.md lists all caches.

Queries run in threads concurrently with blocks. Reading takes no lock; adding and clearing take one, so
that the weight always is that of the entries.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import update_wrapper
from threading import Lock
from typing import Any, Final, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

ENTRY = 200
"""Overhead of an entry in bytes: dict slot, hash, object headers."""

MEGABYTE = 1 << 20

_NOTHING: Final = object()


class ByteBoundedCache(dict[_K, _V]):
    """A dict that is cleared before the weight of its entries would exceed `limit` bytes."""

    __slots__ = ("_lock", "limit", "weight")

    def __init__(self, limit: int) -> None:
        """Create an empty cache."""
        super().__init__()
        self.limit = limit
        self.weight = 0
        self._lock = Lock()

    def add(self, key: _K, value: _V, weight: int) -> None:
        """Add an entry of `weight` bytes, including its key and all referenced objects.

        An entry heavier than an eighth of the limit is not added, so that it does not displace all others.
        The weight of a replaced entry is not subtracted.
        """
        self.add_all([(key, value, weight)])

    def add_all(self, entries: Iterable[tuple[_K, _V, int]]) -> None:
        """Add several entries in order; see `add`."""
        limit, largest = self.limit, self.limit >> 3
        # guard: h62-two-threads-keep-at-once drop:_lock test_h62_two_threads_that_keep_at_once_weigh_both
        with self._lock:
            for key, value, weight in entries:
                heavy = weight + ENTRY
                if heavy > largest:
                    continue
                # guard: h62-entries-of-any-weight drop
                #   test_h62_entries_weigh_what_they_are_said_to_and_never_more_than_the_limit
                if self.weight + heavy > limit:
                    self._empty()
                self[key] = value
                self.weight += heavy

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._empty()

    def _empty(self) -> None:
        super().clear()
        self.weight = 0


class MemoizedFunction(ByteBoundedCache[_K, _V]):
    """A function with a cache of its results by argument."""

    def __init__(self, function: Callable[[_K], _V], most: int, limit: int, shared: object) -> None:
        super().__init__(limit)
        self.function = function
        self._most = most
        self._shared = shared
        update_wrapper(self, function)

    __call__ = dict.__getitem__  # a hit runs in C only

    # It compares and hashes as a function, not as a dict.
    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __bool__(self) -> bool:
        return True

    def __missing__(self, given: _K) -> _V:
        made = self.function(given)
        weight = ENTRY + weight_of(given) + weight_of(made, self._shared)
        with self._lock:
            if given in self:  # another thread was faster
                return made
            if self.weight + weight > self.limit or len(self) >= self._most:
                self._empty()
            self[given] = made
            self.weight += weight
        return made


def memoize(
    most: int, limit: int = MEGABYTE, *, shared: object = _NOTHING
) -> Callable[[Callable[[_K], _V]], Callable[[_K], _V]]:
    """Return a decorator that caches at most `most` results and about `limit` bytes of a function.

    Results are weighed when they are added, and removed all together. `shared` is an object referenced by
    results that does not count. A hit is faster than with `lru_cache`.
    """
    return lambda function: MemoizedFunction(function, most, limit, shared)


def weight_of(value: Any, shared: object = _NOTHING) -> int:
    """Return the approximate size in bytes of an object and all referenced objects, except `shared`."""
    size, left = 0, [value]
    for each in left:  # the list grows; a recursive call per object would be slow
        if each is shared:
            continue
        size += each.__sizeof__() + 16
        kind = type(each)
        if kind is str or kind is bytes or kind is int:
            continue
        if isinstance(each, tuple):
            left += tuple.__iter__(each)  # records do not support `iter`
        elif isinstance(each, list):
            left += each
        else:
            left += [getattr(each, name) for name in getattr(kind, "__dataclass_fields__", ())]
    return size
