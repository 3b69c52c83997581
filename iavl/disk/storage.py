"""A multistore's storage on LMDB: opening, writing a block, versions, and the node cache."""

from pathlib import Path

from iavl import engine
from iavl.commit_info import CommitInfo
from iavl.disk.checkpoint import Roots
from iavl.disk.environment import Environment
from iavl.disk.eviction import cut
from iavl.disk.history import History
from iavl.disk.options import DiskOptions
from iavl.disk.points import Timeline
from iavl.disk.recovery import block_reader, check_stores, delete_unfinished, read_last, read_point, replay
from iavl.disk.settings import check_settings, first_settings
from iavl.disk.writer import BlockWriter
from iavl.node import Node
from iavl.past import Past
from iavl.precedence import Precedence
from iavl.restore import NodeSink
from iavl.storage import Changes, Trees, forget_versions, missing


class DiskStorage:
    """Implements `iavl.storage.Storage` on a folder.

    Raises, when made:
        StorageBusy: another owner has it open.
        CorruptDatabase, StoreMismatch: as their names say.
    """

    def __init__(
        self,
        path: Path,
        options: DiskOptions,
        *,
        keep_versions: int | None,
        cache_nodes: int,
        initial_version: int,
        precedence: Precedence,
    ) -> None:
        self._env = env = Environment(path, options, first_settings(initial_version))
        try:
            check_settings(env.path, lambda key: env.read(env.meta, key), initial_version)
            self._loader = engine.now.loader(env.path, env.nodes_now)
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
            env, self._timeline, precedence, limit=cache_nodes // 2, patience_ms=options.rebuild_wait_ms
        )
        self._checkpoint_on_close = options.checkpoint_on_close
        self._memory_versions = options.memory_versions
        self._infos: dict[int, CommitInfo] = {self._last.version: self._last} if self._last.version else {}
        self._limit = cache_nodes
        self._kept = self._loads_then = self._written_then = 0
        self._fresh_after = self._point

    def load(self, trees: Trees) -> CommitInfo:
        """Adopts the last checkpoint's roots and replays the log after it."""
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
        self.relax(trees)
        return info

    def write(self, info: CommitInfo, changes: Changes, trees: Trees) -> None:
        """Stores a block, and its share of a checkpoint, in one transaction."""
        self._writer.count(changes, [node for tree in trees.values() for node in tree.orphans])
        roots = {name: tree.root for name, tree in trees.items()}
        if self._writer.write(info, changes, roots):
            self._fresh_after, self._point = self._point, self._timeline.points[-1]
        self._infos[info.version] = info

    def sink(self) -> NodeSink:
        """Takes the nodes of a version for `restore`."""
        return self._writer.importing(self._loader)

    def restore(self, info: CommitInfo, roots: Roots) -> None:
        """Makes the trees that went through `sink` the only version, in one transaction."""
        self._writer.restore(info, roots)
        self._history.replaced()
        self._fresh_after = self._point = info.version
        self._infos = {info.version: info}

    def settle(self, trees: Trees) -> None:
        """Drops old versions, then nodes beyond the cache's limit."""
        kept = self._timeline.kept()
        oldest = max(kept.start, kept.stop - self._memory_versions)
        forget_versions(trees.values(), oldest - 1)
        self._history.forget_before(kept.start)
        for version in [each for each in self._infos if each < oldest]:
            del self._infos[version]
        born = self._writer.nodes_written - self._written_then
        if self._kept + self._loader.loads - self._loads_then + born > self._limit:
            self._evict([tree.committed for tree in trees.values()])

    def relax(self, trees: Trees) -> None:
        """Empties nodes of all versions in memory when queries have loaded more than the limit."""
        if self._loader.loads - self._loads_then > self._limit:
            self._evict([root for tree in trees.values() for root in tree.versions.values()])

    def _evict(self, roots: list[Node | None]) -> None:
        # Below the limit, so that the next eviction is not due at once.
        self._kept = cut(roots, self._limit * 3 // 4, self._fresh_after, self._loader)
        self._loads_then = self._loader.loads
        self._written_then = self._writer.nodes_written

    def info(self, version: int) -> CommitInfo:
        """What was committed as `version`."""
        self.check_kept(version)
        if version not in self._infos:
            self._infos[version] = block_reader(self._env, version).info()
        return self._infos[version]

    def past(self, name: str, version: int) -> Past:
        """A store at a kept version that is not in memory, rebuilt; without the multistore's lock."""
        return self._history.past(name, version)

    def check_kept(self, version: int) -> None:
        """Raises VersionMissing, or StoreClosed."""
        self.check_open()
        if version not in self._timeline.kept():
            raise missing(version, self._timeline.kept())

    def versions(self) -> range:
        """The versions that are kept."""
        return self._timeline.kept()

    def check_open(self) -> None:
        """Raises StoreClosed once closed."""
        self._env.check_open()

    def close(self, trees: Trees) -> None:
        """Writes a checkpoint of the last version and closes the files, whatever comes of the checkpoint."""
        last = self._timeline.last_block
        try:
            if self._checkpoint_on_close and self._env.is_open() and last > self._point:
                self._writer.write_checkpoint(last, {name: tree.committed for name, tree in trees.items()})
        finally:
            # guard: h107-a-failed-close-leaves-the-state-open drop
            #   test_h107_a_close_that_fails_leaves_nothing_open
            self._env.close()
