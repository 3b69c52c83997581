"""The tree's node: one class for leaves and inner nodes, shared between versions.

A node is dirty (created by the block under way, and mutable) as long as its `hash` is empty. After that it
is immutable, and a write copies it. A leaf has height 0.
"""


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


def new_leaf(key: bytes, value: bytes) -> Node:
    """A dirty leaf."""
    leaf = Node()
    leaf.key = key
    leaf.value = value
    leaf.height = 0
    leaf.size = 1
    leaf.hash = b""
    return leaf


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
