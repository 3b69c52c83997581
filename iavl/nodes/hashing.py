"""Hashes of dirty nodes, as cosmos/iavl computes them (node.go, writeHashBytes).

    leaf:  height 0, size 1, version; then length-prefixed key and SHA-256 of the value
    inner: height, size, version; then length-prefixed hashes of both children

Height, size and version are zig-zag varints, lengths unsigned ones.
"""

from iavl.nodes.node import Node
from iavl.sha import sha256
from iavl.varint import UVARINT, VARINT, uvarint, varint

LEAF_HEAD = varint(0) + varint(1)
HASH_LENGTH = uvarint(32)
_TABLE = len(VARINT)


def hash_dirty(root: Node | None, version: int) -> None:
    """Compute size and hash of every dirty node below `root`, and set its version.

    Sizes are summed here and not while writing, so that a write can stop at the first ancestor whose height
    does not change.
    """
    if root is None or root.hash:
        return
    dirty = [root]
    for node in dirty:  # grows during iteration: children follow their parents
        if node.height:
            if not (child := node.left).hash:
                dirty.append(child)
            if not (child := node.right).hash:
                dirty.append(child)
    leaf_head = LEAF_HEAD + varint(version)
    inner_tail = varint(version) + HASH_LENGTH
    for node in reversed(dirty):
        if node.height:
            left, right = node.left, node.right
            node.size = size = left.size + right.size
            count = VARINT[size] if size < _TABLE else varint(size)
            node.hash = sha256(
                b"".join((VARINT[node.height], count, inner_tail, left.hash, HASH_LENGTH, right.hash))
            ).digest()
        else:
            key = node.key
            length = UVARINT[len(key)] if len(key) < _TABLE else uvarint(len(key))
            content = sha256(node.value).digest()
            node.hash = sha256(b"".join((leaf_head, length, key, HASH_LENGTH, content))).digest()
        node.version = version
        node.serial = 0
