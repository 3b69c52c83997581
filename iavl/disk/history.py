"""Versions that are kept on disk only, rebuilt when they are asked for, beside the chain.

None of it holds the store's lock. Nodes come through a transaction of its own (`environment.Beside`), which
lasts for one slice of the work: an older one would keep LMDB from using freed pages again. What a slice
does not find may have been pruned meanwhile; records that are there never change.
"""

from threading import Lock

from iavl import engine
from iavl.collector import CollectorPaused
from iavl.disk.environment import Environment
from iavl.disk.points import Timeline
from iavl.disk.recovery import block_reader, read_point
from iavl.errors import CorruptDatabase, HistoryBusy, RecordMissing, UnknownStore, VersionPruned
from iavl.node import Node
from iavl.past import Past, check_kept
from iavl.precedence import Precedence
from iavl.tree import Tree

_REMEMBERED = 8
_SLICE = 64
"""Writes that are made at a time: some milliseconds."""


class History:
    """Rebuilds a store's old version from the checkpoint before it, by executing the blocks in between.

    One rebuild is under way at a time, since threads of one Python would only hold each other up.

    Args:
        env: The database.
        timeline: Its checkpoints and blocks, which move on meanwhile.
        precedence: Tells when a block is under way.
        limit: About how many nodes may stay in memory.
        patience_ms: Milliseconds that a reader waits for its turn.
    """

    def __init__(
        self, env: Environment, timeline: Timeline, precedence: Precedence, limit: int, patience_ms: int
    ) -> None:
        self._env = env
        self._timeline = timeline
        self._precedence = precedence
        self._limit = limit
        self._patience_ms = patience_ms
        self._loader = engine.now.loader(env.path, env.beside)
        self._turn = Lock()
        self._guard = Lock()
        """Of what follows; held for look-ups only."""
        self._roots: dict[tuple[str, int], Node | None] = {}
        self._made = self._loads_then = self._replaced = 0

    def forget(self) -> None:
        """Drops the rebuilt versions."""
        with self._guard:
            self._clear()

    def _clear(self) -> None:
        self._roots.clear()
        self._made, self._loads_then = 0, self._loader.loads

    def replaced(self) -> None:
        """Drops the rebuilt versions, and those that are being rebuilt: another state took their place."""
        with self._guard:
            self._replaced += 1
            self._clear()

    def forget_before(self, version: int) -> None:
        """Drops versions that are no longer kept."""
        with self._guard:
            for key in [key for key in self._roots if key[1] < version]:
                del self._roots[key]

    def past(self, name: str, version: int) -> Past:
        """A store at a kept version, to be read beside the chain.

        Raises:
            UnknownStore: the version had no store of this name.
            HistoryBusy: others were being rebuilt, for too long.
            VersionPruned: it was pruned meanwhile.
            CorruptDatabase: a record is damaged, or the tree has another root hash than the block says.
        """
        try:
            root = self._root(name, version)
        except RecordMissing as error:
            check_kept(error, version, self._timeline.kept())
            raise
        return Past(root, version, self._env.beside, self._relax, self._timeline.kept)

    def _relax(self) -> None:
        if self._loader.loads - self._loads_then + self._made > self._limit:
            self.forget()

    def _root(self, name: str, version: int) -> Node | None:
        key = name, version
        with self._guard:
            if key in self._roots:
                return self._roots[key]
        if not self._turn.acquire(timeout=self._patience_ms / 1000):
            raise HistoryBusy(version, self._patience_ms)
        try:
            with self._guard:
                if key in self._roots:  # by the one before
                    return self._roots[key]
                replaced = self._replaced
            root = self._rebuild(name, version)
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

    def _rebuild(self, name: str, version: int) -> Node | None:
        with self._env.beside:
            info = block_reader(self._env, version, self._env.beside.read).info()
            if name not in info.roots:
                raise UnknownStore(name)
            tree = self._start(name, version)
        while tree.version < version:
            self._add_block(tree)
        if tree.committed_hash != info.roots[name]:
            raise CorruptDatabase(self._env.path, f"store {name!r} differs at version {version}")
        return tree.committed

    def _start(self, name: str, version: int) -> Tree:
        """The nearest state at or before `version`: rebuilt earlier, of a checkpoint, or the empty tree."""
        first = self._timeline.first_block  # before the checkpoint: both move on, together
        point = self._timeline.point_before(version)
        tree = Tree(initial_version=first, name=name)
        with self._guard:
            nearest = max((v for n, v in self._roots if n == name and point < v < version), default=0)
            if nearest:
                tree.adopt(self._roots[name, nearest], nearest)
        if point and not nearest:
            roots = read_point(self._env, point, self._loader, self._env.beside.read)[1]
            tree.adopt(roots.get(name), point)
        return tree

    def _add_block(self, tree: Tree) -> None:
        beside = self._env.beside
        with beside:
            _, changes = block_reader(self._env, tree.next_version, beside.read).read()
        writes = changes.get(tree.name, [])
        for start in range(0, len(writes), _SLICE):
            self._env.probe("rebuilding")
            with beside, CollectorPaused():
                tree.apply(writes[start : start + _SLICE])
            self._precedence.give_way()
        with beside, CollectorPaused():
            self._made += len(tree.orphans)
            tree.commit()
        tree.versions.clear()
