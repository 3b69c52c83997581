"""A multistore's storage on LMDB: opening, writing a block, versions, and the node cache."""

from collections.abc import Iterable
from pathlib import Path

from iavl import engine
from iavl.commit_info import CommitInfo
from iavl.disk.checkpoint import Roots, Timeline
from iavl.disk.database.environment import Environment
from iavl.disk.database.settings import DiskOptions, check_settings, first_settings
from iavl.disk.history import History
from iavl.disk.recovery import block_reader, check_stores, delete_unfinished, read_last, read_point, replay
from iavl.disk.writer import BlockWriter
from iavl.gc_pause import BlockPriority
from iavl.nodes.node import Loader, Node
from iavl.restore import NodeSink
from iavl.storage import Changes, Trees, forget_versions, missing
from iavl.view import Charge, VersionRead

# -- eviction of nodes from memory, by unloading whole subtrees below some depth

_ANY_VERSION = 1 << 64


def cut(roots: Iterable[Node | None], limit: int, fresh_after: int, loader: Loader) -> int:
    """Retain about `limit` nodes, those nearest to the roots, and return how many remain.

    If a level does not fit, subtrees without a write after version `fresh_after` are evicted first: a
    parent's version is never below its child's, so the root of a subtree decides. Nodes that are not on disk
    cannot be evicted.
    """
    kept = 0
    level = [root for root in roots if root is not None and root.loader is None]
    is_one_tree = len(level) == 1
    while level:
        if not is_one_tree:  # versions share nodes
            level = list(dict.fromkeys(level))
        if kept + len(level) > limit:
            level = _empty(level, fresh_after, loader)
        if kept + len(level) > limit:
            _empty(level, _ANY_VERSION, loader)
            break
        kept += len(level)
        inner = [node for node in level if node.height]
        level = [child for node in inner for child in (node.left, node.right) if child.loader is None]
    return kept


def _empty(level: list[Node], version: int, loader: Loader) -> list[Node]:
    """Unload the subtrees not written after `version`; return the others."""
    stay: list[Node] = []
    for top in level:
        if top.version > version:
            stay.append(top)
            continue
        stack = [top]
        while stack:
            node = stack.pop()
            if node.loader is not None:
                continue  # unloaded already, perhaps in this pass: versions share nodes
            if node.serial:
                loader.empty(node)
            elif node.height:
                stack += node.left, node.right
    return stay


# -- the storage


class DiskStorage:
    """Implements `iavl.storage.Storage` on a folder.

    Raises, when created:
        StorageBusy: another owner has the database open.
        CorruptDatabase, StoreMismatch: the database is damaged, or has other stores or another initial
            version.
    """

    def __init__(
        self,
        path: Path,
        options: DiskOptions,
        *,
        keep_versions: int | None,
        cache_nodes: int,
        initial_version: int,
        priority: BlockPriority,
    ) -> None:
        self._env = env = Environment(path, options, first_settings(initial_version))
        try:
            check_settings(env.path, lambda key: env.read(env.meta, key), initial_version)
            self._loader = engine.active.loader(env.path, env.current_nodes)
            self._timeline = Timeline(env, keep_versions)
            self._point = self._timeline.points[-1] if self._timeline.points else 0
            self._last = read_last(env, self._timeline.last_block)
            next_serial, self._roots = read_point(env, self._point, self._loader, known=self._last)
            delete_unfinished(env, next_serial)
        except BaseException:
            env.close()
            raise
        self._writer = BlockWriter(env, options, self._timeline, next_serial)
        self._history = History(
            env, self._timeline, priority, limit=cache_nodes // 2, patience_ms=options.rebuild_wait_ms
        )
        self._checkpoint_on_close = options.checkpoint_on_close
        self._memory_versions = options.memory_versions
        self._infos: dict[int, CommitInfo] = {self._last.version: self._last} if self._last.version else {}
        self._limit = cache_nodes
        self._kept = self._loads_then = self._written_then = 0
        self._fresh_after = self._point

    def load(self, trees: Trees) -> CommitInfo:
        """Adopt the last checkpoint's roots and replay the log after it."""
        try:
            return self._load(trees)
        except BaseException:
            self._env.close()
            raise

    def _load(self, trees: Trees) -> CommitInfo:
        info, last = self._last, self._last.version
        if not last:
            return info
        check_stores(self._env, info, trees)
        if self._point:
            for name, tree in trees.items():
                tree.adopt(self._roots.get(name), self._point)
        self._roots = {}
        first = self._point + 1 if self._point else self._timeline.first_block
        for version in range(first, last + 1):
            changes = replay(self._env, trees, version)
            self._writer.count(changes, [node for tree in trees.values() for node in tree.orphans])
            for tree in trees.values():
                tree.commit()
            forget_versions(trees.values(), version - self._memory_versions)
        self.trim(trees)
        return info

    def write(self, info: CommitInfo, changes: Changes, trees: Trees) -> None:
        """Store a block, and its slice of a checkpoint, in one transaction."""
        self._writer.count(changes, [node for tree in trees.values() for node in tree.orphans])
        roots = {name: tree.root for name, tree in trees.items()}
        if self._writer.write(info, changes, roots):
            self._fresh_after, self._point = self._point, self._timeline.points[-1]
        self._infos[info.version] = info

    def sink(self) -> NodeSink:
        """Return a sink for the nodes of a version for `restore`."""
        return self._writer.importing(self._loader)

    def restore(self, info: CommitInfo, roots: Roots) -> None:
        """Make the trees whose nodes went to `sink` the only version, in one transaction."""
        self._writer.restore(info, roots)
        self._history.replaced()
        self._fresh_after = self._point = info.version
        self._infos = {info.version: info}

    def prune(self, trees: Trees) -> None:
        """Drop old versions, then nodes that exceed the cache's limit."""
        kept = self._timeline.kept()
        oldest = max(kept.start, kept.stop - self._memory_versions)
        forget_versions(trees.values(), oldest - 1)
        self._history.forget_before(kept.start)
        for version in [each for each in self._infos if each < oldest]:
            del self._infos[version]
        born = self._writer.nodes_written - self._written_then
        if self._kept + self._loader.loads - self._loads_then + born > self._limit:
            self._evict([tree.committed for tree in trees.values()])

    def trim(self, trees: Trees) -> None:
        """Unload nodes of all versions in memory if queries have loaded more than the limit."""
        if self._loader.loads - self._loads_then > self._limit:
            self._evict([root for tree in trees.values() for root in tree.versions.values()])

    def _evict(self, roots: list[Node | None]) -> None:
        # Below the limit, so that the next eviction is not due at once.
        self._kept = cut(roots, self._limit * 3 // 4, self._fresh_after, self._loader)
        self._loads_then = self._loader.loads
        self._written_then = self._writer.nodes_written

    def info(self, version: int) -> CommitInfo:
        """Return the commit info of `version`; raise VersionMissing."""
        self.check_kept(version)
        if version not in self._infos:
            self._infos[version] = block_reader(self._env, version).info()
        return self._infos[version]

    def past(self, name: str, version: int, charge: Charge) -> VersionRead:
        """Return a store at a retained version not in memory; called without the multistore's lock."""
        return self._history.past(name, version, charge)

    def check_kept(self, version: int) -> None:
        """Raise VersionMissing if the version is not retained, StoreClosed once closed."""
        self.check_open()
        if version not in self._timeline.kept():
            raise missing(version, self._timeline.kept())

    def versions(self) -> range:
        """Return the retained versions."""
        return self._timeline.kept()

    def check_open(self) -> None:
        """Raise StoreClosed if the store is closed."""
        self._env.check_open()

    def close(self, trees: Trees) -> None:
        """Write a checkpoint of the last version and close the files, even if the checkpoint fails."""
        last = self._timeline.last_block
        try:
            if self._checkpoint_on_close and self._env.is_open() and last > self._point:
                # The last version does not have stores that were added after it.
                # guard: h271-a-checkpoint-has-stores-that-its-version-lacks {self.info(last).roots => trees}
                #   test_h271_a_store_that_was_added_before_a_close_opens_again
                named = {name: trees[name].committed for name in self.info(last).roots}
                self._writer.write_checkpoint(last, named)
        finally:
            # guard: h107-a-failed-close-leaves-the-state-open drop
            #   test_h107_a_close_that_fails_leaves_nothing_open
            self._env.close()
