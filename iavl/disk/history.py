"""Versions that are kept on disk only, rebuilt when they are asked for."""

from iavl.collector import CollectorPaused
from iavl.disk.environment import Environment
from iavl.disk.nodes import NodeLoader
from iavl.disk.points import Timeline
from iavl.disk.recovery import block_reader, read_point
from iavl.errors import CorruptDatabase, UnknownStore
from iavl.node import Node
from iavl.tree import Tree

_REMEMBERED = 8


class History:
    """Rebuilds a store's old version from the checkpoint before it, by executing the blocks in between."""

    def __init__(self, env: Environment, loader: NodeLoader, timeline: Timeline) -> None:
        self._env = env
        self._loader = loader
        self._timeline = timeline
        self._roots: dict[tuple[str, int], Node | None] = {}

    def forget(self) -> None:
        """Drops the rebuilt versions."""
        self._roots.clear()

    def forget_before(self, version: int) -> None:
        """Drops versions that are no longer kept."""
        for key in [key for key in self._roots if key[1] < version]:
            del self._roots[key]

    def root(self, name: str, version: int) -> Node | None:
        """A store's root at a kept version.

        Raises:
            UnknownStore: the version had no store of this name.
            CorruptDatabase: the rebuilt tree has another root hash than the block says.
        """
        key = name, version
        if key not in self._roots:
            rebuilt = self._rebuild(name, version)
            while len(self._roots) >= _REMEMBERED:
                del self._roots[next(iter(self._roots))]
            self._roots[key] = rebuilt
        return self._roots[key]

    def _start(self, name: str, version: int) -> Tree:
        """The nearest state at or before `version`: rebuilt earlier, of a checkpoint, or the empty tree."""
        point = self._timeline.point_before(version)
        nearest = max((v for n, v in self._roots if n == name and point < v < version), default=0)
        tree = Tree(initial_version=self._timeline.first_block, name=name)
        if nearest:
            tree.adopt(self._roots[name, nearest], nearest)
        elif point:
            tree.adopt(read_point(self._env, point, self._loader)[1].get(name), point)
        return tree

    def _rebuild(self, name: str, version: int) -> Node | None:
        info = block_reader(self._env, version).info()
        if name not in info.roots:
            raise UnknownStore(name)
        tree = self._start(name, version)
        with CollectorPaused():
            while tree.version < version:
                _, changes = block_reader(self._env, tree.next_version).read()
                tree.apply(changes.get(name, ()))
                tree.commit()
        if tree.committed_hash != info.roots[name]:
            raise CorruptDatabase(self._env.path, f"store {name!r} differs at version {version}")
        return tree.committed
