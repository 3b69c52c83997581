"""Committed view of one store, which a chain reads while it executes a block."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from threading import RLock
from types import TracebackType

from iavl import engine
from iavl.errors import RecordMissing, VersionPruned
from iavl.nodes.node import Node
from iavl.nodes.write import Change, Entry, Gap
from iavl.tree import Tree

# -- reading of one version of a store

Lock = AbstractContextManager[object]

Charge = Callable[[int, int], None]
"""Callback before work to rebuild an old version: bytes of log to read, and number of writes to replay.

It may raise to stop the rebuild; the part done so far is cached, and the next request resumes there.
"""


def free(_log_bytes: int, _writes: int) -> None:
    """Charge nothing: the default."""


class VersionRead:
    """One version of a store. Each `with` block is one step of a read, and holds the lock for its nodes.

    Args:
        root: Root of the version.
        version: Number of the version.
        lock: Lock under which nodes are loaded.
        trim: Unloads nodes if many were loaded; called within a step.
        kept: Returns the retained versions.

    Raises, when a step ends:
        VersionPruned: the version was pruned while it was read.
    """

    __slots__ = ("_kept", "_lock", "root", "trim", "version")

    def __init__(
        self,
        root: Node | None,
        version: int,
        lock: Lock,
        trim: Callable[[], None],
        kept: Callable[[], range],
    ) -> None:
        self.root = root
        self.version = version
        self.trim = trim
        self._lock = lock
        self._kept = kept

    def __enter__(self) -> None:
        self._lock.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.__exit__(kind, error, trace)
        if isinstance(error, RecordMissing):
            check_kept(error, self.version, self._kept())


def check_kept(error: RecordMissing, version: int, kept: range) -> None:
    """Convert a missing record to VersionPruned if its version was pruned.

    Raises:
        VersionPruned: the version is no longer retained.
    """
    if version not in kept:
        raise VersionPruned(version, kept.start, kept.stop - 1) from error


# -- the view of a block

Trim = Callable[[], None]
"""Function that unloads nodes if many were loaded; called with the lock held."""

_BATCH = 256
_KIND = 2
"""Length of the key prefix that identifies the kind of key: one gap is cached per prefix."""
_NO_GAP: Gap = (b"", b"")


class StoreView:
    """The last committed version of one store, updated by each commit.

    A tree descent costs twenty times a dictionary look-up. So a store that was empty when it was opened is
    held in a dictionary with all keys and values until it has more than `remember` keys: a key not in it is
    absent. Of a larger store, and of one that was opened or restored with content, recently read or written
    values are cached, in two generations of at most `remember` entries. For each key prefix, the gap between
    two keys that contained the last absent key is cached too: the keys of new packets lie in one gap.

    Other threads may read too, but a commit may happen between two reads: for a consistent view they query
    the multistore by version.
    """

    __slots__ = ("_gaps", "_is_whole", "_kept", "_lock", "_old", "_remember", "_tree", "_trim", "_young")

    def __init__(self, tree: Tree, lock: RLock, trim: Trim, kept: Callable[[], range], remember: int) -> None:
        self._tree = tree
        self._kept = kept
        self._lock = lock
        self._trim = trim
        self._remember = remember
        self._young: dict[bytes, bytes | None] = {}
        self._old: dict[bytes, bytes | None] = {}
        self._gaps: dict[bytes, Gap] = {}
        self._is_whole = False
        """True if `_young` has all keys; removed keys may be in it too, with the value None."""

    def get(self, key: bytes) -> bytes | None:
        """Return the committed value at `key`, or None."""
        try:
            return self._young[key]
        except KeyError:
            # Without the lock: the cache is of one version, and cleared before the next one is visible.
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
                value, gap = engine.active.find_or_gap(self._tree.committed, key)
                if value is None:
                    self._gaps[key[:_KIND]] = gap
            self._young[key] = value
            self._turn()
            self._trim()
            return value

    def _turn(self) -> None:
        if len(self._young) > self._remember:
            self._old, self._young = self._young, {}

    def has(self, key: bytes) -> bool:
        """Return whether `key` has a committed value."""
        return self.get(key) is not None

    def iterate(
        self, start: bytes = b"", end: bytes | None = None, *, descending: bool = False
    ) -> Iterator[Entry]:
        """Iterate over committed entries with `start <= key < end` in key order or in reverse.

        The entries are those at the time of the call. Consume them before the version is pruned: later reads
        raise VersionPruned.
        """
        with self._lock:
            past = VersionRead(self._tree.committed, self._tree.version, self._lock, self._trim, self._kept)
        iterate = engine.active.descend if descending else engine.active.ascend
        return in_batches(iterate(past.root, start, end), past)

    def committed(self, changes: list[Change]) -> None:
        """Update the cache with a commit's writes, with the lock held."""
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
        """Drop removed keys from a store held as a dictionary, and stop holding it if too many keys are left.

        Called only when the dictionary has reached twice its limit, not with each commit.
        """
        there: dict[bytes, bytes | None] = {k: v for k, v in self._young.items() if v is not None}
        if len(there) > self._remember:
            self._is_whole = False  # first: readers may observe an empty cache
            self._old, self._young = {}, {}
        else:
            self._young = there

    def replaced(self) -> None:
        """Clear the cache after the store was opened or its tree was replaced; the caller holds the lock."""
        self._is_whole = False
        self._old, self._young = {}, {}
        self._gaps.clear()
        self._is_whole = self._tree.committed is None


class VersionView:
    """One store at one version, unaffected by later commits."""

    __slots__ = ("_past",)

    def __init__(self, past: VersionRead) -> None:
        self._past = past

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None; raise VersionPruned if the version was pruned meanwhile."""
        past = self._past
        with past:
            value = engine.active.find(past.root, key)
            past.trim()
        return value

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[Entry]:
        """Iterate over entries with `start <= key < end`, in key order; may raise VersionPruned."""
        return in_batches(engine.active.ascend(self._past.root, start, end), self._past)


def in_batches(entries: Iterator[Entry], past: VersionRead) -> Iterator[Entry]:
    """Iterate over `entries` of `past`, holding its lock only while the tree is walked.

    Raises:
        VersionPruned: the version was pruned meanwhile.
    """
    while True:
        with past:
            batch = list(islice(entries, _BATCH))
            past.trim()
        yield from batch
        if len(batch) < _BATCH:
            return
