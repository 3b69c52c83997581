"""The keys that a block has written to one store, in order.

Nobody pays for the order until a store is iterated: a dictionary keeps the order of first writes, so the walk
that comes next finds the keys since the last one at its end, and sorts them in. A walk costs what it visits,
whatever else the block has written.
"""

from collections.abc import Iterator
from itertools import islice
from weakref import ref

from sortedcontainers import SortedList


class Walk:
    """The writes of a range in key order, as of the call; a value of None is a deletion."""

    __slots__ = ("__weakref__", "_entries")

    def __init__(self, entries: Iterator[tuple[bytes, bytes | None]]) -> None:
        self._entries = entries

    def __iter__(self) -> "Walk":
        return self

    def __next__(self) -> tuple[bytes, bytes | None]:
        return next(self._entries)

    def settle(self) -> None:
        """Reads what is left of the range, so that what is written from now on does not show."""
        self._entries = iter(list(self._entries))


class WrittenKeys:
    """Follows the writes of one store, which says what it undoes."""

    __slots__ = ("_sorted", "_writes", "walks")

    def __init__(self, writes: dict[bytes, bytes | None]) -> None:
        """`writes`: the store's own, of which the keys are in order here."""
        self._writes = writes
        self._sorted: SortedList | None = None  # until somebody walks: most contexts answer one question
        self.walks: dict[ref[Walk], None] = {}
        """Walks that somebody may still follow: to be settled before anything is written or undone."""

    def walk(self, start: bytes, end: bytes | None) -> Walk:
        """The writes with `start <= key < end`; no end: to the last key."""
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

    def settle_walks(self) -> None:
        """Before a write: whoever is walking goes on with what was there."""
        for each in tuple(self.walks):
            walk = each()
            if walk is not None:
                walk.settle()
        self.walks.clear()

    def drop(self, key: bytes) -> None:
        """After the first write of `key`, the last that the store still had, was undone."""
        known = self._sorted
        if known is not None and len(known) > len(self._writes):
            known.remove(key)

    def _forget(self, gone: ref[Walk]) -> None:
        self.walks.pop(gone, None)
