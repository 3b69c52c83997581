"""Storage of a multistore's versions: the interface, and the implementation in memory."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from iavl.commit_info import NOTHING, CommitInfo
from iavl.errors import StoreClosed, VersionMissing
from iavl.nodes.node import Node
from iavl.nodes.write import Change
from iavl.restore import NodeSink
from iavl.tree import Tree
from iavl.view import Charge, VersionRead

Trees = Mapping[str, Tree]
Changes = Mapping[str, list[Change]]


class Storage(Protocol):
    """Storage of committed versions. Callers hold the multistore's lock, except for `past`."""

    def load(self, trees: Trees) -> CommitInfo:
        """Load the last committed version into the trees, and return its commit info."""

    def write(self, info: CommitInfo, changes: Changes, trees: Trees) -> None:
        """Store a version atomically; the trees are its hashed working versions."""

    def sink(self) -> NodeSink | None:
        """Return a sink for the nodes of a version for `restore`; None if they stay in memory."""

    def restore(self, info: CommitInfo, roots: Mapping[str, Node | None]) -> None:
        """Make hashed trees, whose nodes went to `sink`, the only version, atomically."""

    def prune(self, trees: Trees) -> None:
        """Drop old versions, and nodes that exceed the cache, after a commit of the trees."""

    def trim(self, trees: Trees) -> None:
        """Unload nodes after a query if it loaded many."""

    def info(self, version: int) -> CommitInfo:
        """Return the commit info of a retained version; raise VersionMissing."""

    def past(self, name: str, version: int, charge: Charge) -> VersionRead:
        """Return a store at a retained version that its tree does not hold; called without the lock."""

    def check_kept(self, version: int) -> None:
        """Raise VersionMissing if the version is not retained, StoreClosed once closed."""

    def versions(self) -> range:
        """Return the retained versions."""

    def check_open(self) -> None:
        """Raise StoreClosed if the store is closed."""

    def close(self, trees: Trees) -> None:
        """Close the files; no further version can be applied."""


class MemoryStorage:
    """Storage in memory."""

    def __init__(self, keep_versions: int | None) -> None:
        self._keep = keep_versions
        self._infos: dict[int, CommitInfo] = {}
        self._last = 0
        self._closed = False

    def load(self, trees: Trees) -> CommitInfo:  # noqa: ARG002 - signature of the interface
        """Return the empty commit info: there is nothing to load."""
        return NOTHING

    def write(self, info: CommitInfo, changes: Changes, trees: Trees) -> None:  # noqa: ARG002 - as above
        """Record a version."""
        self._infos[info.version] = info
        self._last = info.version

    def sink(self) -> NodeSink | None:
        """Return None: nodes stay in memory."""
        return None

    def restore(self, info: CommitInfo, roots: Mapping[str, Node | None]) -> None:  # noqa: ARG002 - as above
        """Record the version as the only one."""
        self._infos = {info.version: info}
        self._last = info.version

    def prune(self, trees: Trees) -> None:
        """Drop versions before the kept window."""
        if self._keep is not None:
            forget_versions(trees.values(), self._last - self._keep)
            self._infos.pop(self._last - self._keep, None)

    def trim(self, trees: Trees) -> None:
        """Do nothing: all nodes stay in memory."""

    def info(self, version: int) -> CommitInfo:
        """Return the commit info of `version`; raise VersionMissing if it is not retained."""
        self.check_kept(version)
        return self._infos[version]

    def past(self, name: str, version: int, charge: Charge) -> VersionRead:  # noqa: ARG002 - as above
        """Raise VersionMissing: the trees hold all retained versions."""
        raise missing(version, self.versions())

    def check_kept(self, version: int) -> None:
        """Raise VersionMissing if the version is not retained."""
        if version not in self._infos:
            raise missing(version, self.versions())

    def versions(self) -> range:
        """Return the retained versions."""
        return range(min(self._infos, default=self._last + 1), self._last + 1)

    def check_open(self) -> None:
        """Raise StoreClosed if the store is closed."""
        if self._closed:
            raise StoreClosed("memory")

    def close(self, trees: Trees) -> None:  # noqa: ARG002 - signature of the interface
        """Mark the store closed; there are no files."""
        self._closed = True


def forget_versions(trees: Iterable[Tree], last: int) -> None:
    """Drop the trees' versions up to `last`; the oldest versions come first in the dictionaries."""
    for tree in trees:
        for version in list(tree.versions):
            if version > last:
                break
            del tree.versions[version]


def missing(version: int, kept: range) -> VersionMissing:
    """Return the error for a version outside of `kept`."""
    return VersionMissing(version, kept.start, kept.stop - 1)
