"""The content of one committed version of a multistore."""

from collections.abc import Mapping

from iavl.errors import UnknownStore
from iavl.sha import EMPTY_HASH
from iavl.simple import simple_proof, simple_root


class CommitInfo:
    """Root hash of every store, the app hash over them, and the host's metadata."""

    __slots__ = ("_proofs", "app_hash", "metadata", "roots", "version")

    def __init__(self, version: int, roots: Mapping[str, bytes], metadata: bytes, app_hash: bytes) -> None:
        self.version = version
        self.roots = roots
        self.metadata = metadata
        self.app_hash = app_hash
        self._proofs: dict[str, bytes] = {}

    @classmethod
    def of(cls, version: int, roots: Mapping[str, bytes], metadata: bytes) -> "CommitInfo":
        """With the app hash of these roots."""
        return cls(version, roots, metadata, simple_root(roots))

    def prove(self, name: str) -> bytes:
        """The CommitmentProof (`TendermintSpec`) of a store's root hash under the app hash.

        Raises:
            UnknownStore: the version had no store of this name.
        """
        if name not in self.roots:
            raise UnknownStore(name)
        if name not in self._proofs:
            self._proofs[name] = simple_proof(self.roots, name)
        return self._proofs[name]


NOTHING = CommitInfo(0, {}, b"", EMPTY_HASH)
"""Before the first commit."""
