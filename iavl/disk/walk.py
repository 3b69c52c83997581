"""The trees of all checkpoints, node by node, for `iavl.disk.verify`."""

from collections.abc import Mapping
from typing import NamedTuple

from iavl import engine
from iavl.disk.environment import Environment
from iavl.disk.problems import Report, WrongTree
from iavl.errors import CorruptDatabase
from iavl.node import Node


class _Step(NamedTuple):
    """A node that is not read yet, and the bounds of its keys: the first one, and one behind the last."""

    node: Node
    first: bytes | None
    end: bytes | None


class NodeWalk:
    """Reads every node once; call it with the last checkpoint first."""

    def __init__(self, env: Environment, report: Report) -> None:
        self.seen: dict[int, int] = {}
        """Serial -> the last checkpoint that reaches the node."""
        self.loader = engine.now.loader(env.path, self)
        self._env = env
        self._report = report

    def get(self, key: bytes, /) -> bytes | None:
        """A node's record (`iavl.disk.nodes.Source`)."""
        record = self._env.nodes_now.get(key)
        self._report.bytes += len(record or b"")
        return record

    def walk(self, checkpoint: int, roots: Mapping[str, Node | None]) -> None:
        """Reads what is below the roots and was not read yet."""
        stack = [_Step(root, None, None) for root in roots.values() if root is not None]
        while stack:
            step = stack.pop()
            if step.node.serial not in self.seen:
                self.seen[step.node.serial] = checkpoint
                stack += self._look(step)

    def _look(self, step: _Step) -> list[_Step]:
        node, serial = step.node, step.node.serial
        try:
            key = node.key
        except CorruptDatabase as error:
            self._report.tell_error(f"node {serial}", error)
            return []
        self._report.nodes += 1
        if fault := _fault_of_leaf(step) if not node.height else _fault_of_inner(node):
            self._report.tell(WrongTree(f"node {serial}", fault))
        below = [_Step(node.right, key, step.end), _Step(node.left, step.first, key)] if node.height else []
        self.loader.empty(node)  # else the root would hold all that was read
        return below


def _fault_of_leaf(step: _Step) -> str:
    """What contradicts the nodes above; every leaf but a tree's first is the first of one right half."""
    if step.first is not None and step.node.key != step.first:
        return "its key is not the one that leads to it"
    if step.end is not None and step.node.key >= step.end:
        return "its key belongs further to the right"
    return ""


def _fault_of_inner(node: Node) -> str:
    """What contradicts its children."""
    left, right = node.left, node.right
    if node.height != max(left.height, right.height) + 1 or abs(left.height - right.height) > 1:
        return "its height does not follow from its children's"
    if node.size != left.size + right.size:
        return "its size is not its children's together"
    if node.version < max(left.version, right.version):
        return "it is older than its children"
    return ""
