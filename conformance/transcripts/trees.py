"""The stores of a replayed chain: trees whose versions are heights, and may skip."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from iavl import Tree
from ibc_core.host.context import ReadStore

Changes = Iterable[tuple[bytes, bytes | None]]
MakeStores = Callable[[Iterable[str]], "Stores"]


class Stores(Protocol):
    """The stores of a chain that is told its blocks."""

    def names(self) -> list[str]:
        """The stores."""

    def views(self) -> Mapping[str, ReadStore]:
        """The stores, to be read."""

    def root(self, name: str) -> str:
        """The root hash of a store as last saved, in upper-case hexadecimal."""

    def get(self, name: str, key: bytes) -> bytes | None:
        """The value at `key` as last saved."""

    def save(self, name: str, changes: Changes, version: int) -> None:
        """Applies changes in the order given and saves them as `version`, or the next one if later."""


class NoStore:
    """A store before there is a chain."""

    def get(self, key: bytes) -> bytes | None:  # noqa: ARG002
        """Nothing."""
        return None

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:  # noqa: ARG002
        """Nothing."""
        return iter(())


class Trees:
    """One tree a store. What a block reads is what the last save left."""

    def __init__(self, names: Iterable[str]) -> None:
        self._trees = {name: Tree(name=name) for name in names}

    def names(self) -> list[str]:
        """The stores."""
        return list(self._trees)

    def views(self) -> Mapping[str, Tree]:
        """The stores, to be read."""
        return self._trees

    def root(self, name: str) -> str:
        """The root hash of a store as last saved, in upper-case hexadecimal."""
        return self._trees[name].committed_hash.hex().upper()

    def get(self, name: str, key: bytes) -> bytes | None:
        """The value at `key` as last saved."""
        return self._trees[name].get(key)

    def save(self, name: str, changes: Changes, version: int) -> None:
        """Applies changes in the order given and saves them as `version`, or the next one if that is later.

        The versions between are those of blocks that changed nothing: they have no nodes of their own.
        """
        tree = self._trees[name]
        if version > tree.next_version:
            tree.adopt(tree.root, version - 1)
        tree.apply(changes)
        tree.commit()
        if tree.version > 1:
            tree.delete_versions_to(tree.version - 1)
