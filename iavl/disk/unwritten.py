"""Nodes of a checkpoint that are not on disk yet."""

from collections.abc import Iterator
from itertools import islice

from iavl.disk.nodes import node_record, serial_key
from iavl.nodes.node import Node


class Unwritten:
    """Iteration over the nodes below some roots that have no serial yet, children first.

    Args:
        roots: Roots of hashed trees.
        next_serial: First serial without a node.
    """

    def __init__(self, roots: list[Node], next_serial: int) -> None:
        self.next_serial = next_serial
        """First serial without a node."""
        self._nodes = self._walk(roots)

    def take(self, most: int) -> list[tuple[bytes, bytes]]:
        """Assign serials to the next `most` nodes; return their keys and records."""
        return list(islice(self._nodes, most))

    def _walk(self, roots: list[Node]) -> Iterator[tuple[bytes, bytes]]:
        for root in roots:
            stack = [] if root.serial else [root]
            while stack:
                node = stack[-1]
                if node.height and not node.left.serial:
                    stack.append(node.left)
                elif node.height and not node.right.serial:
                    stack.append(node.right)
                else:
                    stack.pop()
                    node.serial = self.next_serial
                    self.next_serial += 1
                    yield serial_key(node.serial), node_record(node)
