"""Limits the nodes in memory: unloads whole subtrees below some depth."""

from collections.abc import Iterable

from iavl.node import Loader, Node

_ANY_VERSION = 1 << 64


def cut(roots: Iterable[Node | None], limit: int, fresh_after: int, loader: Loader) -> int:
    """Keeps about `limit` nodes, those nearest to the roots, and returns how many stay.

    Where a level no longer fits, subtrees without a write after version `fresh_after` go first: a
    parent's version is never below its child's, so the top of a subtree tells. Nodes that are not on
    disk cannot go.
    """
    kept = 0
    level = [root for root in roots if root is not None and root.loader is None]
    is_one_tree = len(level) == 1
    while level:
        if not is_one_tree:  # versions share nodes
            level = list(dict.fromkeys(level))
        if kept + len(level) > limit:
            level = _empty(level, fresh_after, loader)
        if kept + len(level) > limit:
            _empty(level, _ANY_VERSION, loader)
            break
        kept += len(level)
        inner = [node for node in level if node.height]
        level = [child for node in inner for child in (node.left, node.right) if child.loader is None]
    return kept


def _empty(level: list[Node], version: int, loader: Loader) -> list[Node]:
    """Empties the subtrees not written after `version`; returns the others."""
    stay: list[Node] = []
    for top in level:
        if top.version > version:
            stay.append(top)
            continue
        stack = [top]
        while stack:
            node = stack.pop()
            if node.loader is not None:
                continue  # empty already, maybe just now: versions share nodes
            if node.serial:
                loader.empty(node)
            elif node.height:
                stack += node.left, node.right
    return stay
