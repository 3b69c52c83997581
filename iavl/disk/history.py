"""Versions that are stored on disk only, rebuilt on request while the chain goes on.

Rebuilding does not hold the store's lock. Nodes are read in a separate transaction (`ConcurrentReader`), for
one slice of the work each: an older transaction would keep LMDB from reusing freed pages. A record that a
slice does not find may have been pruned meanwhile; existing records never change.
"""

from threading import Lock

from iavl import engine
from iavl.disk.checkpoint import Timeline
from iavl.disk.database.environment import Environment
from iavl.disk.recovery import block_reader, read_point
from iavl.errors import CorruptDatabase, HistoryBusy, RecordMissing, VersionPruned
from iavl.gc_pause import BlockPriority, GcPaused
from iavl.nodes.node import Node
from iavl.tree import Tree
from iavl.view import Charge, VersionRead, check_kept

_REMEMBERED = 8
_SLICE = 64
"""Writes applied per slice, which takes some milliseconds."""


class History:
    """Rebuilds a store's old version from the checkpoint before it, by applying the blocks in between.

    One rebuild runs at a time, since threads of one Python process would only slow each other down.

    Args:
        env: The database.
        timeline: Its checkpoints and blocks, updated by the writer.
        priority: Signals that a block is being executed.
        limit: Approximate number of nodes that may stay in memory.
        patience_ms: Milliseconds that a reader waits for its turn.
    """

    def __init__(
        self, env: Environment, timeline: Timeline, priority: BlockPriority, limit: int, patience_ms: int
    ) -> None:
        self._env = env
        self._timeline = timeline
        self._priority = priority
        self._limit = limit
        self._patience_ms = patience_ms
        self._loader = engine.active.loader(env.path, env.concurrent)
        self._turn = Lock()
        self._guard = Lock()
        """Guards the fields below; held for look-ups only."""
        self._roots: dict[tuple[str, int], Node | None] = {}
        self._made = self._loads_then = self._replaced = 0

    def forget(self) -> None:
        """Drop all rebuilt versions."""
        with self._guard:
            self._clear()

    def _clear(self) -> None:
        self._roots.clear()
        self._made, self._loads_then = 0, self._loader.loads

    def replaced(self) -> None:
        """Drop all versions rebuilt or being rebuilt, because another state was restored."""
        with self._guard:
            self._replaced += 1
            self._clear()

    def forget_before(self, version: int) -> None:
        """Drop versions that are no longer retained."""
        with self._guard:
            for key in [key for key in self._roots if key[1] < version]:
                del self._roots[key]

    def past(self, name: str, version: int, charge: Charge) -> VersionRead:
        """Return a store at a retained version, read without the store's lock; empty before it was added.

        `charge` is called before each step of the rebuild; a version in the cache is free.

        Raises:
            Exception: `charge` refused the work.
            HistoryBusy: other rebuilds took too long.
            VersionPruned: the version was pruned meanwhile.
            CorruptDatabase: a record is damaged, or the tree's root hash differs from the block's.
        """
        try:
            root = self._root(name, version, charge)
        except RecordMissing as error:
            check_kept(error, version, self._timeline.kept())
            raise
        return VersionRead(root, version, self._env.concurrent, self._trim, self._timeline.kept)

    def _trim(self) -> None:
        if self._loader.loads - self._loads_then + self._made > self._limit:
            self.forget()

    def _root(self, name: str, version: int, charge: Charge) -> Node | None:
        key = name, version
        with self._guard:
            if key in self._roots:
                return self._roots[key]
        if not self._turn.acquire(timeout=self._patience_ms / 1000):
            raise HistoryBusy(version, self._patience_ms)
        try:
            with self._guard:
                if key in self._roots:  # rebuilt by the thread before
                    return self._roots[key]
                replaced = self._replaced
            root = self._rebuilt(name, version, charge, replaced)
            self._remember(key, root, replaced)
            return root
        finally:
            self._turn.release()

    def _remember(self, key: tuple[str, int], root: Node | None, replaced: int) -> None:
        with self._guard:
            if replaced != self._replaced:
                kept = self._timeline.kept()
                raise VersionPruned(key[1], kept.start, kept.stop - 1)
            if self._loader.loads - self._loads_then + self._made > self._limit:
                self._clear()
            while len(self._roots) >= _REMEMBERED:
                del self._roots[next(iter(self._roots))]
            self._roots[key] = root

    def _rebuilt(self, name: str, version: int, charge: Charge, replaced: int) -> Node | None:
        """Rebuild a version; again, if a checkpoint was finished and blocks were removed meanwhile."""
        while True:
            first = self._timeline.first_block
            try:
                return self._rebuild(name, version, charge, replaced)
            except RecordMissing:
                # guard: a-rebuild-overtaken-by-a-checkpoint-is-corruption always
                #   test_a_rebuild_that_a_checkpoint_overtakes_begins_again_there
                if self._timeline.first_block == first:
                    raise

    def _rebuild(self, name: str, version: int, charge: Charge, replaced: int) -> Node | None:
        with self._env.concurrent:
            info = block_reader(self._env, version, self._env.concurrent.read).info()
            if name not in info.roots:
                return None
            tree = self._start(name, version)
        start = reached = tree.version
        root = tree.committed
        try:
            while reached < version:
                self._add_block(tree, charge)
                reached, root = tree.version, tree.committed
        except BaseException:
            # A caller whose gas ran out may ask again; the rebuild then resumes at this version.
            if reached > start:
                # guard: h303-what-was-paid-for-is-lost test_h303_who_asks_again_goes_on_from_there
                self._remember((name, reached), root, replaced)
            raise
        return root

    def _start(self, name: str, version: int) -> Tree:
        """Return the nearest earlier state: a rebuilt version, a checkpoint, or the empty tree."""
        first = self._timeline.first_block  # read before the checkpoint: both advance together
        point = self._timeline.point_before(version)
        tree = Tree(initial_version=first, name=name)
        with self._guard:
            nearest = max((v for n, v in self._roots if n == name and point < v < version), default=0)
            if nearest:
                tree.adopt(self._roots[name, nearest], nearest)
        if point and not nearest:
            roots = read_point(self._env, point, self._loader, self._env.concurrent.read)[1]
            tree.adopt(roots.get(name), point)
        return tree

    def _add_block(self, tree: Tree, charge: Charge) -> None:
        """Apply the next block.

        Raises:
            CorruptDatabase: its record is damaged, or the tree's root hash differs from the record's.
            Exception: `charge` refused the work; the tree's last committed version is unchanged.
        """
        concurrent = self._env.concurrent
        with concurrent:
            reader = block_reader(self._env, tree.next_version, concurrent.read)
            charge(reader.size, 0)
            info, changes = reader.read()
        writes = changes.get(tree.name, [])
        for start in range(0, len(writes), _SLICE):
            self._env.probe("rebuilding")
            # guard: h303-writes-are-made-for-nothing drop
            #   test_h303_a_rebuild_is_paid_for test_h303_old_heights_are_paid_for
            charge(0, len(writes[start : start + _SLICE]))
            with concurrent, GcPaused():
                tree.apply(writes[start : start + _SLICE])
            self._priority.yield_to_block()
        with concurrent, GcPaused():
            self._made += len(tree.orphans)
            tree.commit()
        tree.versions.clear()
        if tree.name in info.roots and tree.committed_hash != info.roots[tree.name]:
            raise CorruptDatabase(self._env.path, f"store {tree.name!r} differs at version {tree.version}")
