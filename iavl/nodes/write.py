"""Reads and writes of a copy-on-write tree, without recursion.

Set and remove return the new root. Every committed node that is not in the new tree is added to `orphans`;
the disk storage deletes orphans once no retained version needs them.
"""

from collections.abc import Iterable, Iterator

from iavl.nodes.node import Node, dirty_copy, new_leaf

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


# -- AVL rotations, in the cases and order of cosmos/iavl: the shape of the tree is part of its hash


def measure(node: Node) -> None:
    """Set the height of a dirty inner node from its children."""
    left, right = node.left.height, node.right.height
    node.height = (left if left > right else right) + 1  # noqa: FURB136 - a call costs more


def rotate_right(node: Node, orphans: list[Node]) -> Node:
    """Rotate the left child above the dirty `node`; return the subtree's new root."""
    top = dirty_copy(node.left, orphans)
    node.left = top.right
    top.right = node
    measure(node)
    measure(top)
    return top


def rotate_left(node: Node, orphans: list[Node]) -> Node:
    """Rotate the right child above the dirty `node`; return the subtree's new root."""
    top = dirty_copy(node.right, orphans)
    node.right = top.left
    top.left = node
    measure(node)
    measure(top)
    return top


def rebalance(node: Node, orphans: list[Node]) -> Node:
    """Restore the AVL balance at a dirty node whose subtrees' heights differ by two; return the new root."""
    left, right = node.left, node.right
    if left.height > right.height:
        if left.left.height < left.right.height:
            node.left = rotate_left(dirty_copy(left, orphans), orphans)
        return rotate_right(node, orphans)
    if right.left.height > right.right.height:
        node.right = rotate_right(dirty_copy(right, orphans), orphans)
    return rotate_left(node, orphans)


# -- set and remove

Change = tuple[bytes, bytes | None]
"""One write: key and value; the value None removes the key."""


def apply_changes(root: Node | None, changes: Iterable[Change], orphans: list[Node]) -> Node | None:
    """Apply writes in the order given; removing an absent key does nothing."""
    for key, value in changes:
        if value is not None:
            root = set_key(root, key, value, orphans)
        else:
            root, _ = remove_key(root, key, orphans)
    return root


def set_key(root: Node | None, key: bytes, value: bytes, orphans: list[Node]) -> Node:
    """Write `value` at `key`. Writing the same value again creates a new leaf of the new version."""
    if root is None:
        return new_leaf(key, value)
    leaf = new_leaf(key, value)
    path: list[Node] = []
    node = root
    # Every node on the path becomes dirty, so copies are made and linked during the descent.
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
    """Replace the leaf `old` by an inner node over `old` and `leaf`, and rebalance the path."""
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
            return root  # nothing above changes: sizes are summed when hashing
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
    """Remove `key`; return the new root, and whether the key existed. Nothing changes if it did not."""
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
        # The right sibling moves up; its key becomes that of the ancestor whose smallest key it is.
        return _shrink(root, path, (parent, parent.right), parent.key, orphans), True
    return _shrink(root, path, (parent, parent.left), b"", orphans), True


def _shrink(
    root: Node | None, path: list[Node], change: tuple[Node, Node], new_key: bytes, orphans: list[Node]
) -> Node | None:
    """Replace the first node of `change` by the second, and rebalance the path.

    `new_key` goes to the first ancestor that has the change in its right subtree.
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
            return root  # all nodes above are dirty already, and do not change
        node.height = height
    return after
