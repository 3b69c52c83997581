"""Sorted view of the keys that a block has written to one store.

Sorting is lazy: a dict keeps the order of first writes, so an iteration finds the keys written since the
previous one at the dict's end, and sorts them in. The cost of an iteration depends on the visited entries,
not on the other writes of the block.
"""

from collections.abc import Iterator
from itertools import islice
from weakref import ref

from sortedcontainers import SortedList


class Walk:
    """Snapshot iterator of the writes in a range, in key order; a value of None is a deletion."""

    __slots__ = ("__weakref__", "_entries")

    def __init__(self, entries: Iterator[tuple[bytes, bytes | None]]) -> None:
        self._entries = entries

    def __iter__(self) -> "Walk":
        return self

    def __next__(self) -> tuple[bytes, bytes | None]:
        return next(self._entries)

    def complete(self) -> None:
        """Read the rest of the range, so that later writes do not appear."""
        self._entries = iter(list(self._entries))


class WrittenKeys:
    """Keys of the writes of one store, which reports reverted writes."""

    __slots__ = ("_sorted", "_writes", "walks")

    def __init__(self, writes: dict[bytes, bytes | None]) -> None:
        """Create a view of `writes`, the store's own dict."""
        self._writes = writes
        self._sorted: SortedList | None = None  # created by the first iteration: most contexts need none
        self.walks: dict[ref[Walk], None] = {}
        """Active iterators, to be completed before anything is written or reverted."""

    def walk(self, start: bytes, end: bytes | None) -> Walk:
        """Return the writes with `start <= key < end`; without `end`, to the last key."""
        writes = self._writes
        known = self._sorted = SortedList() if self._sorted is None else self._sorted
        new = len(writes) - len(known)
        if new:
            known.update(islice(reversed(writes), new))
        # guard: h71-all-that-a-block-wrote-is-looked-at {known.irange(start, end, (True, False)) => (key for
        #   key in sorted(writes) if start <= key < (end or b'~'))}
        #   test_h71_a_range_costs_what_is_in_it_whatever_else_was_written
        walk = Walk((key, writes[key]) for key in known.irange(start, end, (True, False)))
        self.walks[ref(walk, self._forget)] = None
        return walk

    def complete_walks(self) -> None:
        """Complete the snapshots of all active iterators; to be called before a write."""
        for each in tuple(self.walks):
            walk = each()
            if walk is not None:
                walk.complete()
        self.walks.clear()

    def drop(self, key: bytes) -> None:
        """Remove `key`; to be called after its only remaining write was reverted."""
        known = self._sorted
        if known is not None and len(known) > len(self._writes):
            known.remove(key)

    def _forget(self, gone: ref[Walk]) -> None:
        self.walks.pop(gone, None)
