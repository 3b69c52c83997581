"""What a process keeps of earlier work, bounded by the bytes that it weighs and not by the entries.

Both hold results of pure functions, so that what is kept never changes a verdict, only its cost. `Kept` is
filled by hand, where input is only worth keeping once it has been accepted; `kept` stands where lru_cache
would, for functions that refuse by raising: what they raise on is not kept. docs/security.md lists them all.

Queries are answered by threads beside blocks. Reading takes no lock; who adds or empties holds one, so that
the weight is what the entries weigh.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import update_wrapper
from threading import Lock
from typing import Any, Final, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

ENTRY = 200
"""Bytes of an entry beside its key and value: its place in a table, hashes, headers of objects."""

MEGABYTE = 1 << 20

_NOTHING: Final = object()


class Kept(dict[_K, _V]):
    """A dict, emptied before its entries weigh more than `limit` bytes; read as a dict, at its speed."""

    __slots__ = ("_lock", "limit", "weight")

    def __init__(self, limit: int) -> None:
        """Keeps nothing yet."""
        super().__init__()
        self.limit = limit
        self.weight = 0
        self._lock = Lock()

    def keep(self, key: _K, value: _V, weight: int) -> None:
        """Sets an entry of `weight` bytes, key and objects below included; one that is replaced counts on.

        One beyond an eighth of the limit is left out: none drives all others away.
        """
        self.keep_all([(key, value, weight)])

    def keep_all(self, entries: Iterable[tuple[_K, _V, int]]) -> None:
        """`keep` of each, in their order."""
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
        """Forgets everything."""
        with self._lock:
            self._empty()

    def _empty(self) -> None:
        super().clear()
        self.weight = 0


class KeptResults(Kept[_K, _V]):
    """A function's results by its argument. Called as the function is, it makes what it does not have."""

    def __init__(self, function: Callable[[_K], _V], most: int, limit: int, shared: object) -> None:
        super().__init__(limit)
        self.function = function
        self._most = most
        self._shared = shared
        update_wrapper(self, function)

    __call__ = dict.__getitem__  # a hit is C's alone

    # It is what a function is, whatever is in it.
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


def kept(
    most: int, limit: int = MEGABYTE, *, shared: object = _NOTHING
) -> Callable[[Callable[[_K], _V]], Callable[[_K], _V]]:
    """Keeps a function's results, `most` of them, and no more than `limit` bytes of them and the last one.

    They are weighed when they are made, and forgotten together; `shared` is an object of the program's that
    results hold and that weighs nothing. A hit costs less than one of `lru_cache`.
    """
    return lambda function: KeptResults(function, most, limit, shared)


def weight_of(held: Any, shared: object = _NOTHING) -> int:
    """About how many bytes an object and all that it holds take; `shared` and what is below it take none."""
    size, left = 0, [held]
    for each in left:  # which grows: a call for each object would be dear
        if each is shared:
            continue
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
