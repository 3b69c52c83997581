"""AVL rotations, in the cases and order of cosmos/iavl: the shape of the tree is part of its hash."""

from iavl.node import Node, dirty_copy


def measure(node: Node) -> None:
    """Sets the height of a dirty inner node from its children."""
    left, right = node.left.height, node.right.height
    node.height = (left if left > right else right) + 1  # noqa: FURB136 - a call costs more


def rotate_right(node: Node, orphans: list[Node]) -> Node:
    """Lifts the left child above `node` (dirty); returns the new top."""
    top = dirty_copy(node.left, orphans)
    node.left = top.right
    top.right = node
    measure(node)
    measure(top)
    return top


def rotate_left(node: Node, orphans: list[Node]) -> Node:
    """Lifts the right child above `node` (dirty); returns the new top."""
    top = dirty_copy(node.right, orphans)
    node.right = top.left
    top.left = node
    measure(node)
    measure(top)
    return top


def rebalance(node: Node, orphans: list[Node]) -> Node:
    """Restores the AVL rule at a dirty node whose subtrees are two apart; returns the subtree's top."""
    left, right = node.left, node.right
    if left.height > right.height:
        if left.left.height < left.right.height:
            node.left = rotate_left(dirty_copy(left, orphans), orphans)
        return rotate_right(node, orphans)
    if right.left.height > right.right.height:
        node.right = rotate_right(dirty_copy(right, orphans), orphans)
    return rotate_left(node, orphans)
