"""The content of one committed version of a multistore."""

from bisect import bisect_left
from collections.abc import Mapping

from iavl.errors import UnknownStore
from iavl.nodes.proof import existence_message, field
from iavl.sha import EMPTY_HASH, sha256, uvarint

# -- the multistore's hash: CometBFT's simple Merkle tree over the stores' names and root hashes
#
# leaf = SHA-256(0x00 || length || name || length || SHA-256(root hash)) inner = SHA-256(0x01 || left ||
# right), split at the largest power of two below the count
#
# The format is that of the Cosmos SDK's CommitInfo.Hash (store/types, store/internal/maps); proofs are for
# ICS-23's `TendermintSpec`. Names are in byte order.

_LEAF, _INNER = b"\x00", b"\x01"
_PREFIX_OP = b"\x08\x01\x12\x01\x01"  # InnerOp of a left child: hash SHA256, prefix 0x01
_PREFIX_SIBLING_OP = b"\x08\x01\x12\x21\x01"  # of a right child: prefix 0x01 and the sibling
_SUFFIX = b"\x1a\x20"


def leaf_hash(name: str, root_hash: bytes) -> bytes:
    """Return the hash of one store's leaf."""
    key = name.encode()
    return sha256(_LEAF + uvarint(len(key)) + key + uvarint(32) + sha256(root_hash).digest()).digest()


def _split(count: int) -> int:
    """Return the largest power of two below `count` (2 or more)."""
    return 1 << (count - 1).bit_length() - 1


# recursion: halves the list of stores each time
def _merkle(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    half = _split(len(leaves))
    return sha256(_INNER + _merkle(leaves[:half]) + _merkle(leaves[half:])).digest()


def simple_root(roots: Mapping[str, bytes]) -> bytes:
    """Return the app hash of stores with these root hashes; of none, SHA-256 of the empty string."""
    leaves = [leaf_hash(name, roots[name]) for name in sorted(roots)]
    return _merkle(leaves) if leaves else EMPTY_HASH


# recursion: halves the list of stores each time
def _path(leaves: list[bytes], index: int) -> list[bytes]:
    """Return the InnerOp fields from leaf `index` upwards."""
    if len(leaves) == 1:
        return []
    half = _split(len(leaves))
    if index < half:
        op = _PREFIX_OP + _SUFFIX + _merkle(leaves[half:])
        return [*_path(leaves[:half], index), field(4, op)]
    op = _PREFIX_SIBLING_OP + _merkle(leaves[:half])
    return [*_path(leaves[half:], index - half), field(4, op)]


def simple_proof(roots: Mapping[str, bytes], name: str) -> bytes:
    """Return the CommitmentProof of `name`'s root hash in the app hash; key is the name, value the hash."""
    return field(1, _existence(roots, name))


def simple_absence(roots: Mapping[str, bytes], name: str) -> bytes:
    """Return the CommitmentProof that the app hash covers no store `name`: its neighbours in byte order.

    `roots` has at least one store, and no store of this name.
    """
    names = sorted(roots)
    at = bisect_left(names, name)
    left = field(2, _existence(roots, names[at - 1])) if at else b""
    right = field(3, _existence(roots, names[at])) if at < len(names) else b""
    return field(2, field(1, name.encode()) + left + right)


def _existence(roots: Mapping[str, bytes], name: str) -> bytes:
    names = sorted(roots)
    leaves = [leaf_hash(each, roots[each]) for each in names]
    return existence_message(name.encode(), roots[name], _LEAF, _path(leaves, names.index(name)))


# -- one committed version


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
        """Return the commit info of these roots, with their app hash."""
        return cls(version, roots, metadata, simple_root(roots))

    def prove(self, name: str) -> bytes:
        """Return the CommitmentProof (`TendermintSpec`) of a store's root hash under the app hash.

        Raises:
            UnknownStore: the version had no store of this name.
        """
        if name not in self.roots:
            raise UnknownStore(name)
        if name not in self._proofs:
            self._proofs[name] = simple_proof(self.roots, name)
        return self._proofs[name]

    def prove_no_store(self, name: str) -> bytes:
        """Return the CommitmentProof (`TendermintSpec`) that the app hash covers no store `name`."""
        return simple_absence(self.roots, name)


NOTHING = CommitInfo(0, {}, b"", EMPTY_HASH)
"""Commit info before the first commit."""
