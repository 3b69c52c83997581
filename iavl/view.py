"""One store as last committed, which a chain reads while it executes a block."""

from collections.abc import Callable, Iterator
from itertools import islice
from threading import RLock

from iavl import engine
from iavl.past import Past
from iavl.read import Entry, Gap
from iavl.tree import Tree
from iavl.write import Change

Relax = Callable[[], None]
"""Unloads nodes if many were loaded; called with the lock held."""

_BATCH = 256
_KIND = 2
"""Bytes of a key that tell what kind of key it is: gaps are remembered one a kind."""
_NO_GAP: Gap = (b"", b"")


class StoreView:
    """One store's last committed version: moves on with each commit.

    A descent costs twenty times a dictionary look-up. So a store that was empty when it was opened is held
    flat, all of its keys and values, until it has more than `remember` keys: what is not there is absent.
    Of a larger store, and of one that was opened or restored with content, values last read or written are
    cached in two generations of at most `remember` entries. So is the gap between two keys that the last
    absent key with the same first bytes fell into: the keys of new packets lie in one gap.

    Other threads may read too, but a commit may come between two reads: for a consistent view they query
    the multistore by version.
    """

    __slots__ = ("_gaps", "_is_whole", "_kept", "_lock", "_old", "_relax", "_remember", "_tree", "_young")

    def __init__(
        self, tree: Tree, lock: RLock, relax: Relax, kept: Callable[[], range], remember: int
    ) -> None:
        self._tree = tree
        self._kept = kept
        self._lock = lock
        self._relax = relax
        self._remember = remember
        self._young: dict[bytes, bytes | None] = {}
        self._old: dict[bytes, bytes | None] = {}
        self._gaps: dict[bytes, Gap] = {}
        self._is_whole = False
        """Whether `_young` has all keys; those that are gone may be there too, as None."""

    def get(self, key: bytes) -> bytes | None:
        """The committed value at `key`, None if there is none."""
        try:
            return self._young[key]
        except KeyError:
            # Without the lock: what stands here is of one version, and is forgotten before another is seen.
            if self._is_whole:
                return None
            low, high = self._gaps.get(key[:_KIND], _NO_GAP)
            if low < key and (high is None or key < high):
                return None
            return self._look_up(key)

    def _look_up(self, key: bytes) -> bytes | None:
        with self._lock:
            if key in self._old:
                value = self._old[key]
            else:
                value, gap = engine.now.find_or_gap(self._tree.committed, key)
                if value is None:
                    self._gaps[key[:_KIND]] = gap
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

        Use it up before the version leaves the kept window: after that, what is not read yet may be gone
        (VersionPruned).
        """
        with self._lock:
            past = Past(self._tree.committed, self._tree.version, self._lock, self._relax, self._kept)
        iterate = engine.now.descend if descending else engine.now.ascend
        return in_batches(iterate(past.root, start, end), past)

    def committed(self, changes: list[Change]) -> None:
        """Updates the cache with a commit's writes, with the lock held."""
        self._gaps.clear()
        if len(changes) > 2 * self._remember or (len(changes) > self._remember and not self._is_whole):
            self._is_whole = False
            self._old, self._young = {}, {}
            return
        self._young.update(changes)
        if not self._is_whole:
            self._turn()
        elif len(self._young) > 2 * self._remember:
            self._sort_out()

    def _sort_out(self) -> None:
        """Drops what is gone from a store that is held flat, and stops where too much is left.

        Only once there is twice as much as may be left: not with each commit.
        """
        there: dict[bytes, bytes | None] = {k: v for k, v in self._young.items() if v is not None}
        if len(there) > self._remember:
            self._is_whole = False  # first: readers may see an empty cache
            self._old, self._young = {}, {}
        else:
            self._young = there

    def replaced(self) -> None:
        """Starts anew, since the store was opened or its tree was replaced. With the lock held."""
        self._is_whole = False
        self._old, self._young = {}, {}
        self._gaps.clear()
        self._is_whole = self._tree.committed is None


class PastView:
    """One store at one version, whatever is committed meanwhile."""

    __slots__ = ("_past",)

    def __init__(self, past: Past) -> None:
        self._past = past

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`, None if there is none; raises VersionPruned: it was pruned meanwhile."""
        past = self._past
        with past:
            value = engine.now.find(past.root, key)
            past.relax()
        return value

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[Entry]:
        """Entries with `start <= key < end`, in key order; raises VersionPruned as they are read."""
        return in_batches(engine.now.ascend(self._past.root, start, end), self._past)


def in_batches(entries: Iterator[Entry], past: Past) -> Iterator[Entry]:
    """`entries` of `past`, with its lock held only while the tree is walked.

    Raises:
        VersionPruned: the version was pruned meanwhile.
    """
    while True:
        with past:
            batch = list(islice(entries, _BATCH))
            past.relax()
        yield from batch
        if len(batch) < _BATCH:
            return
