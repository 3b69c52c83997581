"""Stores of a replayed chain: trees whose version is the height and may skip numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from iavl import Tree
from pyibc.core.host.context import ReadStore

Changes = Iterable[tuple[bytes, bytes | None]]
MakeStores = Callable[[Iterable[str]], "Stores"]


class Stores(Protocol):
    """Stores of a replayed chain."""

    def names(self) -> list[str]:
        """Return the names of all stores."""

    def views(self) -> Mapping[str, ReadStore]:
        """Return the stores by name, for reading."""

    def root(self, name: str) -> str:
        """Return the root hash of a store, upper-case hexadecimal."""

    def get(self, name: str, key: bytes) -> bytes | None:
        """Return the committed value at `key` of a store."""

    def save(self, name: str, changes: Changes, version: int) -> None:
        """Apply changes in order and commit them as `version`, or the next version if that is higher."""


class NoStore:
    """An empty store, before the chain exists."""

    def get(self, key: bytes) -> bytes | None:  # noqa: ARG002
        """Return None."""
        return None

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:  # noqa: ARG002
        """Return no entries."""
        return iter(())


class Trees:
    """One tree per store; blocks read the last committed version."""

    def __init__(self, names: Iterable[str]) -> None:
        self._trees = {name: Tree(name=name) for name in names}

    def names(self) -> list[str]:
        """Return the names of the trees."""
        return list(self._trees)

    def views(self) -> Mapping[str, Tree]:
        """Return the trees by name."""
        return self._trees

    def root(self, name: str) -> str:
        """Return the tree's committed root hash, upper-case hexadecimal."""
        return self._trees[name].committed_hash.hex().upper()

    def get(self, name: str, key: bytes) -> bytes | None:
        """Return the committed value at `key`."""
        return self._trees[name].get(key)

    def save(self, name: str, changes: Changes, version: int) -> None:
        """Apply changes in order and commit them as `version`, or the next version if that is higher.

        Skipped versions belong to blocks without changes and have no nodes of their own.
        """
        tree = self._trees[name]
        if version > tree.next_version:
            tree.adopt(tree.root, version - 1)
        tree.apply(changes)
        tree.commit()
        if tree.version > 1:
            tree.delete_versions_to(tree.version - 1)
