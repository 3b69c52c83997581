"""The tree's node: one class for leaves and inner nodes, shared between versions.

A node is dirty (created by the block in progress, and mutable) as long as its `hash` is empty. After that it
is immutable, and a write copies it. A leaf has height 0.
"""

from typing import ClassVar, Protocol


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
