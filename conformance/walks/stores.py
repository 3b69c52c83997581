"""The stores of a walk's chain: under one app hash, every version kept and provable."""

from collections.abc import Iterable, Mapping

from conformance.transcripts.trees import Changes
from iavl.multistore import MultiStore
from ibc_core.host.context import ReadStore


class ProvableStores:
    """What `Trees` is to a replay, with proofs."""

    def __init__(self, names: Iterable[str]) -> None:
        self.multi = MultiStore(None, list(names), keep_versions=None)
        self._told: dict[str, list[tuple[bytes, bytes | None]]] = {}

    def names(self) -> list[str]:
        """The stores."""
        return list(self.multi.names())

    def views(self) -> Mapping[str, ReadStore]:
        """The stores, to be read."""
        return {name: self.multi.store(name) for name in self.multi.names()}

    def root(self, name: str) -> str:
        """The root hash of a store as last saved, in upper-case hexadecimal."""
        return self.multi.root(name).hex().upper()

    def get(self, name: str, key: bytes) -> bytes | None:
        """The value at `key` as last saved."""
        return self.multi.store(name).get(key)

    def save(self, name: str, changes: Changes, version: int) -> None:  # noqa: ARG002 - one a block
        """Takes a store's changes; once every store has been told of its own, they are a version together."""
        self._told[name] = list(changes)
        if len(self._told) == len(self.names()):
            self.multi.apply(self._told)
            self.multi.commit()
            self._told = {}
