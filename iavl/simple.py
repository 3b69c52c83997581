"""The multistore's hash: CometBFT's simple Merkle tree over the stores' names and root hashes.

    leaf  = SHA-256(0x00 || length || name || length || SHA-256(root hash))
    inner = SHA-256(0x01 || left || right), split at the largest power of two below the count

As the Cosmos SDK's CommitInfo.Hash (store/types, store/internal/maps), with proofs for ICS-23's
`TendermintSpec`. Names are in byte order.
"""

from collections.abc import Mapping

from iavl.proof import existence_message, field
from iavl.sha import EMPTY_HASH, sha256
from iavl.varint import uvarint

_LEAF, _INNER = b"\x00", b"\x01"
_PREFIX_OP = b"\x08\x01\x12\x01\x01"  # InnerOp of a left child: hash SHA256, prefix 0x01
_PREFIX_SIBLING_OP = b"\x08\x01\x12\x21\x01"  # of a right child: prefix 0x01 and the sibling
_SUFFIX = b"\x1a\x20"


def leaf_hash(name: str, root_hash: bytes) -> bytes:
    """The hash of one store's leaf."""
    key = name.encode()
    return sha256(_LEAF + uvarint(len(key)) + key + uvarint(32) + sha256(root_hash).digest()).digest()


def _split(count: int) -> int:
    """The largest power of two below `count` (2 or more)."""
    return 1 << (count - 1).bit_length() - 1


# recursion: halves the list of stores each time
def _merkle(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    half = _split(len(leaves))
    return sha256(_INNER + _merkle(leaves[:half]) + _merkle(leaves[half:])).digest()


def simple_root(roots: Mapping[str, bytes]) -> bytes:
    """The app hash of stores with these root hashes; of none, SHA-256 of nothing."""
    leaves = [leaf_hash(name, roots[name]) for name in sorted(roots)]
    return _merkle(leaves) if leaves else EMPTY_HASH


# recursion: halves the list of stores each time
def _path(leaves: list[bytes], index: int) -> list[bytes]:
    """InnerOp fields from leaf `index` up."""
    if len(leaves) == 1:
        return []
    half = _split(len(leaves))
    if index < half:
        op = _PREFIX_OP + _SUFFIX + _merkle(leaves[half:])
        return [*_path(leaves[:half], index), field(4, op)]
    op = _PREFIX_SIBLING_OP + _merkle(leaves[:half])
    return [*_path(leaves[half:], index - half), field(4, op)]


def simple_proof(roots: Mapping[str, bytes], name: str) -> bytes:
    """The CommitmentProof that `name`'s root hash is in the app hash; key is the name, value the hash."""
    names = sorted(roots)
    leaves = [leaf_hash(each, roots[each]) for each in names]
    path = _path(leaves, names.index(name))
    return field(1, existence_message(name.encode(), roots[name], _LEAF, path))
