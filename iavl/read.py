"""Lookup and iteration."""

from collections.abc import Iterator

from iavl.node import Node

Entry = tuple[bytes, bytes]


def find(root: Node | None, key: bytes) -> bytes | None:
    """The value at `key`, None where there is none."""
    node = root
    if node is None:
        return None
    while node.height:
        node = node.left if key < node.key else node.right
    return node.value if node.key == key else None


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
