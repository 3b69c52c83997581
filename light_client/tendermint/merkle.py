"""The Merkle tree of CometBFT's hashes (`crypto/merkle`, RFC 6962)."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

EMPTY_HASH = sha256(b"").digest()
"""Root of a tree without leaves: data, evidence and commit hash of an empty block."""


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    """Root of the RFC 6962 tree over `leaves`."""
    return root_of([leaf_hash(leaf) for leaf in leaves])


def root_of(leaf_hashes: Sequence[bytes]) -> bytes:
    """Root of the tree over leaves whose hashes are known.

    Pairs are joined level by level and an odd node moves up, which gives the same tree as splitting at
    the largest power of two.
    """
    level = list(leaf_hashes)
    if not level:
        return EMPTY_HASH
    while len(level) > 1:
        paired = [  # inner_hash, written out: sets of validators have hundreds of nodes
            sha256(b"\x01" + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=False)
        ]
        if len(level) % 2:
            paired.append(level[-1])
        level = paired
    return level[0]


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf: its prefix 00 keeps it from being read as a node."""
    return sha256(b"\x00" + leaf).digest()


def inner_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node with two children."""
    return sha256(b"\x01" + left + right).digest()
