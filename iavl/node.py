"""The tree's node: one class for leaves and inner nodes, shared between versions.

A node is dirty (created by the block under way, and mutable) as long as its `hash` is empty. After that it
is immutable, and a write copies it. A leaf has height 0.
"""

from typing import ClassVar, Protocol


class Loader(Protocol):
    """Makes hollow nodes, whose content is on disk, and loads them when they are looked into."""

    @property
    def loads(self) -> int:
        """How many nodes were loaded, ever."""

    def new(self, serial: int, version: int, size: int, height: int, node_hash: bytes, /) -> "Node":
        """A hollow node."""

    def empty(self, node: "Node", /) -> None:
        """Turns a node that has a serial into a hollow one, which frees its subtree."""


class Node:
    """A leaf (`key`, `value`) or an inner node (`key` = smallest key of the right subtree, `left`, `right`).

    Fields a kind of node does not have stay unset, as do `size`, `version` and `serial` of dirty inner
    nodes: reading them by mistake raises AttributeError. Creating nodes without `__init__` is a third
    faster, and most of a block's CPU time goes into nodes.
    """

    __slots__ = ("hash", "height", "key", "left", "right", "serial", "size", "value", "version")

    key: bytes
    value: bytes
    left: "Node"
    right: "Node"
    height: int
    size: int
    """Leaves below; set when hashed."""
    version: int
    """The version that created the node; set when hashed."""
    serial: int
    """Number of the node's record on disk, 0 while it has none; set when hashed."""
    hash: bytes
    """SHA-256 of the node, empty while it is dirty."""
    loader: ClassVar[Loader | None] = None
    """Who loads it, of a hollow node; None of one whose content is in memory."""


def new_leaf(key: bytes, value: bytes) -> Node:
    """A dirty leaf."""
    leaf = Node()
    leaf.key = key
    leaf.value = value
    leaf.height = 0
    leaf.size = 1
    leaf.hash = b""
    return leaf


def new_inner(key: bytes, left: Node, right: Node) -> Node:
    """A dirty inner node over two nodes; `key`: the smallest of the right subtree."""
    inner = Node()
    inner.key, inner.left, inner.right, inner.hash = key, left, right, b""
    inner.height = max(left.height, right.height) + 1
    return inner


def strip(node: Node) -> None:
    """Frees a hashed node's value or children: its hash is all that is left to ask for."""
    if node.height:
        del node.left, node.right
    else:
        del node.value


def dirty_copy(node: Node, orphans: list[Node]) -> Node:
    """`node` itself when dirty, else a dirty copy; the copied inner node is noted as an orphan."""
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
