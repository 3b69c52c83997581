"""Choice of the implementation of node operations: Python, or pyibc-native if it is installed.

Both produce the same hashes, records and proofs, and each opens databases written by the other. The choice is
made once per process, since the implementations' node objects are incompatible. Python is the default and the
reference. This is the only module of the tree that imports native code (docs/native.md).
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, Protocol

from iavl import export
from iavl.disk import nodes
from iavl.disk.nodes import node_record, serial_key
from iavl.errors import UnprovableAbsence
from iavl.nodes import node, proof, write
from iavl.nodes.node import Loader, Node
from iavl.nodes.write import Change, Entry, Gap


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


VERSION = 3
"""Version of the interface to pyibc-native; native code with another version is not used."""


class Checker(Protocol):
    """Verifier of an export's chunks, which retains nothing."""

    def feed(self, chunk: bytes, /) -> bool:
        """Process the next chunk; return whether all chunks so far may belong to the export."""

    def finish(self) -> bool:
        """Return whether the chunks are the complete export."""


Iterate = Callable[[Node | None, bytes, bytes | None], Iterator[Entry]]


@dataclass(frozen=True, slots=True)
class Engine:
    """The functions that create nodes or process many of them, named as the Python functions."""

    new_leaf: Callable[[bytes, bytes], Node]
    new_inner: Callable[[bytes, Node, Node], Node]
    strip: Callable[[Node], None]
    find: Callable[[Node | None, bytes], bytes | None]
    find_or_gap: Callable[[Node | None, bytes], tuple[bytes | None, Gap]]
    ascend: Iterate
    descend: Iterate
    set_key: Callable[[Node | None, bytes, bytes, list[Node]], Node]
    remove_key: Callable[[Node | None, bytes, list[Node]], tuple[Node | None, bool]]
    apply_changes: Callable[[Node | None, Iterable[Change], list[Node]], Node | None]
    hash_dirty: Callable[[Node | None, int], None]
    prove: Callable[[Node | None, bytes], tuple[bytes | None, bytes]]
    node_record: Callable[[Node], bytes]
    loader: Callable[[str, nodes.Source], Loader]
    unwritten: Callable[[list[Node], int], Unwritten]
    export: Callable[[bytes, list[Node]], export.RecordStream]
    checker: Callable[[list[str], int, bytes], Checker] | None
    """Creates a verifier for an export with these stores, version and app hash; None: use `iavl.restore`."""


PYTHON = Engine(
    new_leaf=node.new_leaf,
    new_inner=node.new_inner,
    strip=node.strip,
    find=write.find,
    find_or_gap=write.find_or_gap,
    ascend=write.ascend,
    descend=write.descend,
    set_key=write.set_key,
    remove_key=write.remove_key,
    apply_changes=write.apply_changes,
    hash_dirty=node.hash_dirty,
    prove=proof.prove,
    node_record=nodes.node_record,
    loader=nodes.NodeLoader,
    unwritten=Unwritten,
    export=export.Export,
    checker=None,
)


def native(tree: Any) -> Engine:
    """Return the engine of pyibc-native; `tree` is its module of this name."""

    def prove(root: Node | None, key: bytes) -> tuple[bytes | None, bytes]:
        if root is None:
            raise UnprovableAbsence(key)
        found: tuple[bytes | None, bytes] = tree.prove(root, key)
        return found

    def loader(path: str, source: nodes.Source) -> Loader:
        records = nodes.Records(path, source)
        found: Loader = tree.Loader(records.read, records.damaged)
        return found

    same = {each.name: getattr(tree, each.name) for each in fields(Engine) if hasattr(tree, each.name)}
    own = {"unwritten": tree.Unwritten, "export": tree.Export, "checker": tree.Checker}
    return Engine(**{**same, **own, "prove": prove, "loader": loader})


def load(switch: str | None) -> tuple[Engine, str]:
    """Return the engine to use, and the reason that `pyibc doctor` prints.

    `switch` is the value of PYIBC_NATIVE; `0` disables native code.
    """
    if switch == "0":
        return PYTHON, "switched off by PYIBC_NATIVE=0"
    try:
        import pyibc_native  # noqa: PLC0415 - optional
    except ImportError:
        return PYTHON, "not installed"
    tree = getattr(pyibc_native, "tree", None)
    found = getattr(tree, "VERSION", None)
    # guard: h199-any-version-of-the-tree test_h199_another_version_of_the_tree_is_not_used
    if found != VERSION:
        return PYTHON, f"not used: version {found!a} of the tree is installed, {VERSION} is needed"
    return native(tree), f"in use, version {VERSION}"


CHOSEN, WHY = load(os.environ.get("PYIBC_NATIVE"))

active = CHOSEN
"""Engine in use."""


def use(engine: Engine) -> Engine:
    """Use `engine` from now on; return the one before. For tests, which compare the two.

    Objects that hold nodes of the other engine cannot be used until it is restored.
    """
    global active
    before, active = active, engine
    return before
