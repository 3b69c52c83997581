"""Storage of a multistore's versions: the interface, and the implementation in memory."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from iavl.commit_info import NOTHING, CommitInfo
from iavl.errors import StoreClosed, VersionMissing
from iavl.node import Node
from iavl.past import Past
from iavl.restore import NodeSink
from iavl.tree import Tree
from iavl.write import Change

Trees = Mapping[str, Tree]
Changes = Mapping[str, list[Change]]


class Storage(Protocol):
    """Keeps committed versions. Callers hold the multistore's lock, but for `past`."""

    def load(self, trees: Trees) -> CommitInfo:
        """Brings the trees to the last committed version, and returns what was committed there."""

    def write(self, info: CommitInfo, changes: Changes, trees: Trees) -> None:
        """Stores a version atomically; the trees are its hashed working versions."""

    def sink(self) -> NodeSink | None:
        """Takes the nodes of a version for `restore`, as they come; None: they stay in memory."""

    def restore(self, info: CommitInfo, roots: Mapping[str, Node | None]) -> None:
        """Makes hashed trees, whose nodes went through `sink`, the only version, atomically."""

    def settle(self, trees: Trees) -> None:
        """After a commit of the trees: drops old versions, and nodes beyond the cache."""

    def relax(self, trees: Trees) -> None:
        """After a query: unloads nodes if it loaded many."""

    def info(self, version: int) -> CommitInfo:
        """What was committed as a version that is kept; raises VersionMissing."""

    def past(self, name: str, version: int) -> Past:
        """A store at a version that is kept but not among its tree's; called without the lock."""

    def check_kept(self, version: int) -> None:
        """Raises VersionMissing, or StoreClosed."""

    def versions(self) -> range:
        """The versions that are kept."""

    def check_open(self) -> None:
        """Raises StoreClosed once closed."""

    def close(self, trees: Trees) -> None:
        """Closes the files; nothing can be applied any more."""


class MemoryStorage:
    """Keeps versions as long as the process lives."""

    def __init__(self, keep_versions: int | None) -> None:
        self._keep = keep_versions
        self._infos: dict[int, CommitInfo] = {}
        self._last = 0
        self._closed = False

    def load(self, trees: Trees) -> CommitInfo:  # noqa: ARG002 - the interface's
        """Nothing to load."""
        return NOTHING

    def write(self, info: CommitInfo, changes: Changes, trees: Trees) -> None:  # noqa: ARG002 - as above
        """Records a version."""
        self._infos[info.version] = info
        self._last = info.version

    def sink(self) -> NodeSink | None:
        """Nodes stay in memory."""
        return None

    def restore(self, info: CommitInfo, roots: Mapping[str, Node | None]) -> None:  # noqa: ARG002 - as above
        """Records the version as the only one."""
        self._infos = {info.version: info}
        self._last = info.version

    def settle(self, trees: Trees) -> None:
        """Drops versions before the kept window."""
        if self._keep is not None:
            forget_versions(trees.values(), self._last - self._keep)
            self._infos.pop(self._last - self._keep, None)

    def relax(self, trees: Trees) -> None:
        """All nodes stay."""

    def info(self, version: int) -> CommitInfo:
        """What was committed as `version`."""
        self.check_kept(version)
        return self._infos[version]

    def past(self, name: str, version: int) -> Past:  # noqa: ARG002 - as above
        """None: the trees have all versions that are kept."""
        raise missing(version, self.versions())

    def check_kept(self, version: int) -> None:
        """Raises VersionMissing."""
        if version not in self._infos:
            raise missing(version, self.versions())

    def versions(self) -> range:
        """The versions that are kept."""
        return range(min(self._infos, default=self._last + 1), self._last + 1)

    def check_open(self) -> None:
        """Raises StoreClosed once closed."""
        if self._closed:
            raise StoreClosed("memory")

    def close(self, trees: Trees) -> None:  # noqa: ARG002 - the interface's
        """Marks the store closed; there are no files."""
        self._closed = True


def forget_versions(trees: Iterable[Tree], last: int) -> None:
    """Drops the trees' versions up to `last`, which are at the front of the dictionaries."""
    for tree in trees:
        for version in list(tree.versions):
            if version > last:
                break
            del tree.versions[version]


def missing(version: int, kept: range) -> VersionMissing:
    """The error for a version outside of `kept`."""
    return VersionMissing(version, kept.start, kept.stop - 1)
