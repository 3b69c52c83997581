"""The tree's node: one class for leaves and inner nodes, shared between versions.

A node is dirty (created by the block in progress, and mutable) as long as its `hash` is empty. After that it
is immutable, and a write copies it. A leaf has height 0.
"""

from typing import ClassVar, Protocol

from iavl.sha import UVARINT, VARINT, sha256, uvarint, varint


class Loader(Protocol):
    """Creates hollow nodes, whose content is on disk, and loads them on access."""

    @property
    def loads(self) -> int:
        """Number of nodes loaded so far."""

    def new(self, serial: int, version: int, size: int, height: int, node_hash: bytes, /) -> "Node":
        """Return a hollow node."""

    def empty(self, node: "Node", /) -> None:
        """Turn a node that has a serial into a hollow one, which frees its subtree."""


class Node:
    """A leaf (`key`, `value`) or an inner node (`key` = smallest key of the right subtree, `left`, `right`).

    Fields that a node does not have stay unset, as do `size`, `version` and `serial` of dirty inner nodes:
    reading them raises AttributeError. Creating nodes without `__init__` is a third faster, and most of a
    block's CPU time is spent on nodes.
    """

    __slots__ = ("hash", "height", "key", "left", "right", "serial", "size", "value", "version")

    key: bytes
    value: bytes
    left: "Node"
    right: "Node"
    height: int
    size: int
    """Number of leaves below; set when hashed."""
    version: int
    """Version that created the node; set when hashed."""
    serial: int
    """Number of the node's record on disk, 0 if it has none; set when hashed."""
    hash: bytes
    """SHA-256 hash of the node, empty while it is dirty."""
    loader: ClassVar[Loader | None] = None
    """Loader of a hollow node; None if the node's content is in memory."""


def new_leaf(key: bytes, value: bytes) -> Node:
    """Return a dirty leaf."""
    leaf = Node()
    leaf.key = key
    leaf.value = value
    leaf.height = 0
    leaf.size = 1
    leaf.hash = b""
    return leaf


def new_inner(key: bytes, left: Node, right: Node) -> Node:
    """Return a dirty inner node over two nodes; `key` is the smallest of the right subtree."""
    inner = Node()
    inner.key, inner.left, inner.right, inner.hash = key, left, right, b""
    inner.height = max(left.height, right.height) + 1
    return inner


def strip(node: Node) -> None:
    """Free a hashed node's value or children, so that only its hash remains."""
    if node.height:
        del node.left, node.right
    else:
        del node.value


def dirty_copy(node: Node, orphans: list[Node]) -> Node:
    """Return `node` itself if dirty, else a dirty copy; the copied inner node is added to `orphans`."""
    if not node.hash:
        return node
    orphans.append(node)
    copy = Node()
    copy.key = node.key
    copy.left = node.left
    copy.right = node.right
    copy.height = node.height
    copy.hash = b""
    return copy


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
