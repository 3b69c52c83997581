"""Lookup and iteration."""

from collections.abc import Iterator

from iavl.nodes.node import Node

Entry = tuple[bytes, bytes]


def find(root: Node | None, key: bytes) -> bytes | None:
    """Return the value at `key` below `root`, or None."""
    node = root
    if node is None:
        return None
    while node.height:
        node = node.left if key < node.key else node.right
    return node.value if node.key == key else None


Gap = tuple[bytes, bytes | None]
"""Two adjacent keys of a tree; the second is None if the first is the tree's last key."""


def find_or_gap(root: Node | None, key: bytes) -> tuple[bytes | None, Gap]:
    """Return the value at `key`, or None and the gap that contains `key`.

    An inner node's key is the smallest of its right subtree, so the last inner node passed on the left bounds
    the gap from above, and the leaf at the end of the path bounds it from below.
    """
    if root is None:
        return None, (b"", None)
    node, above = root, None
    while node.height:
        if key < node.key:
            above = node.key
            node = node.left
        else:
            node = node.right
    if node.key == key:
        return node.value, (key, key)
    return None, (node.key, above) if node.key < key else (b"", node.key)


def ascend(root: Node | None, start: bytes, end: bytes | None) -> Iterator[Entry]:
    """Iterate over entries with `start <= key < end` in key order; `end` None means no bound."""
    stack = [] if root is None else [root]
    while stack:
        node = stack.pop()
        while node.height:
            if start < node.key:
                stack.append(node.right)
                node = node.left
            else:
                node = node.right
        if end is not None and node.key >= end:
            return
        if node.key >= start:
            yield node.key, node.value


def descend(root: Node | None, start: bytes, end: bytes | None) -> Iterator[Entry]:
    """Iterate over the entries of `ascend` in reverse key order."""
    stack = [] if root is None else [root]
    while stack:
        node = stack.pop()
        while node.height:
            if end is None or node.key < end:
                stack.append(node.left)
                node = node.right
            else:
                node = node.left
        if node.key < start:
            return
        if end is None or node.key < end:
            yield node.key, node.value
