"""Lookup and iteration."""

from collections.abc import Iterator

from iavl.node import Node

Entry = tuple[bytes, bytes]


def find(root: Node | None, key: bytes) -> bytes | None:
    """The value of a leaf below `root`."""
    node = root
    if node is None:
        return None
    while node.height:
        node = node.left if key < node.key else node.right
    return node.value if node.key == key else None


Gap = tuple[bytes, bytes | None]
"""Two neighbouring keys of a tree, with no key between them; None: the first is the tree's last."""


def find_or_gap(root: Node | None, key: bytes) -> tuple[bytes | None, Gap]:
    """The value at `key`, or None and the gap that `key` falls into.

    An inner node's key is the smallest of its right half, so the last one passed on the left bounds the
    gap from above, and the leaf that the way ends at from below.
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
    """Entries with `start <= key < end` in key order; `end` None is no bound."""
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
    """The entries of `ascend`, last key first."""
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
