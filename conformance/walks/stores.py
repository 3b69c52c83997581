"""Stores of a walk's chain: one app hash, all versions retained for proofs."""

from collections.abc import Iterable, Mapping

from conformance.transcripts.stores import Changes
from iavl.multistore import MultiStore
from pyibc.core.host.context import ReadStore


class ProvableStores:
    """An implementation of `transcripts.stores.Stores` that can prove entries."""

    def __init__(self, names: Iterable[str]) -> None:
        self.multi = MultiStore(None, list(names), keep_versions=None)
        self._saved: dict[str, list[tuple[bytes, bytes | None]]] = {}

    def names(self) -> list[str]:
        """Return the names of the multistore's trees."""
        return list(self.multi.names())

    def views(self) -> Mapping[str, ReadStore]:
        """Return the trees at the latest version."""
        return {name: self.multi.store(name) for name in self.multi.names()}

    def root(self, name: str) -> str:
        """Return the tree's root hash, upper-case hexadecimal."""
        return self.multi.root(name).hex().upper()

    def get(self, name: str, key: bytes) -> bytes | None:
        """Return the value at `key` at the latest version."""
        return self.multi.store(name).get(key)

    def save(self, name: str, changes: Changes, version: int) -> None:  # noqa: ARG002 - every block is a version
        """Collect a store's changes; commits once every store has been saved."""
        self._saved[name] = list(changes)
        if len(self._saved) == len(self.names()):
            self.multi.apply(self._saved)
            self.multi.commit()
            self._saved = {}
