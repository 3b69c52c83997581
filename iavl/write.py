"""Set and remove on a copy-on-write tree, without recursion.

Both return the new root. `orphans` receives every committed node that is not in the new tree; the disk
storage deletes them once no kept version needs them.
"""

from collections.abc import Iterable

from iavl.balance import rebalance
from iavl.node import Node, dirty_copy, new_leaf

Change = tuple[bytes, bytes | None]
"""One write: key and value, None to remove."""


def apply_changes(root: Node | None, changes: Iterable[Change], orphans: list[Node]) -> Node | None:
    """Applies writes in the order given; removing an absent key does nothing."""
    for key, value in changes:
        if value is not None:
            root = set_key(root, key, value, orphans)
        else:
            root, _ = remove_key(root, key, orphans)
    return root


def set_key(root: Node | None, key: bytes, value: bytes, orphans: list[Node]) -> Node:
    """Writes `value` at `key`. The same value again is a write too: a new leaf, of the new version."""
    if root is None:
        return new_leaf(key, value)
    leaf = new_leaf(key, value)
    path: list[Node] = []
    node = root
    # Every node on the way becomes dirty, so copies are made and linked on the way down.
    while node.height:
        if node.hash:
            orphans.append(node)
            copy = Node()
            copy.key = node.key
            copy.left = node.left
            copy.right = node.right
            copy.height = node.height
            copy.hash = b""
            if not path:
                root = copy
            elif path[-1].left is node:
                path[-1].left = copy
            else:
                path[-1].right = copy
            node = copy
        path.append(node)
        node = node.left if key < node.key else node.right
    if node.key != key:
        return _grow(root, path, node, leaf, orphans)
    if node.hash:
        orphans.append(node)
    if not path:
        return leaf
    if path[-1].left is node:
        path[-1].left = leaf
    else:
        path[-1].right = leaf
    return root


def _grow(root: Node, path: list[Node], old: Node, leaf: Node, orphans: list[Node]) -> Node:
    """Puts an inner node over the leaves `old` and `leaf`, where `old` was, and balances the path."""
    inner = Node()
    if leaf.key < old.key:
        inner.key, inner.left, inner.right = old.key, leaf, old
    else:
        inner.key, inner.left, inner.right = leaf.key, old, leaf
    inner.height = 1
    inner.hash = b""
    if not path:
        return inner
    before, after = old, inner
    for node in reversed(path):
        if node.left is before:
            node.left = after
        else:
            node.right = after
        left, right = node.left.height, node.right.height
        height = (left if left > right else right) + 1  # noqa: FURB136 - a call costs more
        if height == node.height:
            return root  # nothing above sees a change: sizes are summed when hashing
        if -2 < left - right < 2:
            node.height = height
            before = after = node
            continue
        height = node.height
        before, after = node, rebalance(node, orphans)
        if node is root:
            return after
    return root


def remove_key(root: Node | None, key: bytes, orphans: list[Node]) -> tuple[Node | None, bool]:
    """Removes `key`; the second result tells whether it was there. Nothing changes if it was not."""
    node = root
    if node is None:
        return None, False
    path: list[Node] = []
    while node.height:
        path.append(node)
        node = node.left if key < node.key else node.right
    if node.key != key:
        return root, False
    if node.hash:
        orphans.append(node)
    if not path:
        return None, True
    parent = path.pop()
    if parent.hash:
        orphans.append(parent)
    if parent.left is node:
        # The right neighbour moves up; its key must become that of the ancestor it is the smallest of.
        return _shrink(root, path, (parent, parent.right), parent.key, orphans), True
    return _shrink(root, path, (parent, parent.left), b"", orphans), True


def _shrink(
    root: Node | None, path: list[Node], change: tuple[Node, Node], new_key: bytes, orphans: list[Node]
) -> Node | None:
    """Puts the second node of `change` where the first was, and balances the path.

    `new_key` goes to the first ancestor that has the change on its right.
    """
    before, after = change
    while path:
        old = path.pop()
        node = dirty_copy(old, orphans)
        if node.left is before:
            node.left = after
        else:
            node.right = after
            if new_key:
                node.key, new_key = new_key, b""
        left, right = node.left.height, node.right.height
        before, after = old, node
        if not -2 < left - right < 2:
            after = rebalance(node, orphans)
            continue
        height = (left if left > right else right) + 1  # noqa: FURB136 - a call costs more
        if node is old and height == node.height and not new_key:
            return root  # all above is dirty already, and sees no change
        node.height = height
    return after
