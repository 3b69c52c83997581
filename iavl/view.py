"""What a chain reads while a block is under way: one store as last committed."""

from collections.abc import Callable, Iterator
from itertools import islice
from threading import RLock

from iavl.read import Entry, ascend, descend, find
from iavl.tree import Tree
from iavl.write import Change

Relax = Callable[[], None]
"""Forgets nodes, if many were loaded; called with the lock held."""

_BATCH = 256


class StoreView:
    """One store's last committed version: moves on with each commit.

    Values last read or written are remembered in two generations of at most `remember` entries, since
    a descent costs twenty times a dictionary look-up. Another thread may read too, but may meet a commit
    half-way between two reads: what must belong together is asked of the multistore, by version.
    """

    __slots__ = ("_lock", "_old", "_relax", "_remember", "_tree", "_young")

    def __init__(self, tree: Tree, lock: RLock, relax: Relax, remember: int) -> None:
        self._tree = tree
        self._lock = lock
        self._relax = relax
        self._remember = remember
        self._young: dict[bytes, bytes | None] = {}
        self._old: dict[bytes, bytes | None] = {}

    def get(self, key: bytes) -> bytes | None:
        """The committed value at `key`, None where there is none."""
        try:
            return self._young[key]
        except KeyError:
            return self._look_up(key)

    def _look_up(self, key: bytes) -> bytes | None:
        with self._lock:
            value = self._old[key] if key in self._old else find(self._tree.committed, key)
            self._young[key] = value
            self._turn()
            self._relax()
            return value

    def _turn(self) -> None:
        if len(self._young) > self._remember:
            self._old, self._young = self._young, {}

    def has(self, key: bytes) -> bool:
        """Whether `key` has a committed value."""
        return self.get(key) is not None

    def iterate(
        self, start: bytes = b"", end: bytes | None = None, *, descending: bool = False
    ) -> Iterator[Entry]:
        """Committed entries with `start <= key < end` in key order (or the reverse), as of this call.

        Use it up before the version leaves the kept window.
        """
        entries = (descend if descending else ascend)(self._tree.committed, start, end)
        return in_batches(entries, self._lock, self._relax)

    def committed(self, changes: list[Change]) -> None:
        """Takes note of a commit's writes, with the lock held."""
        if len(changes) > self._remember:
            self._old, self._young = {}, {}
            return
        self._young.update(changes)
        self._turn()


def in_batches(entries: Iterator[Entry], lock: RLock, relax: Relax) -> Iterator[Entry]:
    """`entries`, with the lock held only while the tree is walked."""
    while True:
        with lock:
            batch = list(islice(entries, _BATCH))
            relax()
        yield from batch
        if len(batch) < _BATCH:
            return
