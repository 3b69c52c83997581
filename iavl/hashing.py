"""Hashes of dirty nodes, as cosmos/iavl computes them (node.go, writeHashBytes).

    leaf:  height 0, size 1, version; then length-prefixed key and SHA-256 of the value
    inner: height, size, version; then length-prefixed hashes of both children

Height, size and version are zig-zag varints, lengths unsigned ones.
"""

from iavl.node import Node
from iavl.sha import sha256
from iavl.varint import UVARINT, VARINT, uvarint, varint

LEAF_HEAD = varint(0) + varint(1)
HASH_LENGTH = uvarint(32)


def hash_dirty(root: Node | None, version: int) -> None:
    """Gives every dirty node below `root` its size, its hash and `version`.

    Sizes are summed here and not while writing, so that a write may stop at the first ancestor whose
    height does not change.
    """
    if root is None or root.hash:
        return
    dirty = [root]
    for node in dirty:  # grows while it is walked: children stand behind their parents
        if node.height:
            if not (child := node.left).hash:
                dirty.append(child)
            if not (child := node.right).hash:
                dirty.append(child)
    leaf_head = LEAF_HEAD + varint(version)
    inner_tail = varint(version) + HASH_LENGTH
    dirty.reverse()
    for node in dirty:
        if node.height:
            _hash_inner(node, inner_tail)
        else:
            key = node.key
            length = UVARINT[len(key)] if len(key) < len(UVARINT) else uvarint(len(key))
            content = sha256(node.value).digest()
            node.hash = sha256(b"".join((leaf_head, length, key, HASH_LENGTH, content))).digest()
        node.version = version
        node.serial = 0


def _hash_inner(node: Node, tail: bytes) -> None:
    left, right = node.left, node.right
    node.size = size = left.size + right.size
    head = VARINT[size] if size < len(VARINT) else varint(size)
    node.hash = sha256(
        b"".join((VARINT[node.height], head, tail, left.hash, HASH_LENGTH, right.hash))
    ).digest()


def inner_head(node: Node) -> bytes:
    """Height, size and version of an inner node, and the length byte of what follows."""
    return VARINT[node.height] + varint(node.size) + varint(node.version) + HASH_LENGTH
