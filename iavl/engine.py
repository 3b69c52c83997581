"""Which code works on nodes: Python's, or that of pyibc-native where it is installed.

Both have the same nodes, hashes, records and proofs, so a database that one wrote the other opens; which one
it is is decided once a process, since one does not know the other's nodes. Python's is the default and the
reference. This is the one module of the tree that imports native code (docs/native.md).
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from iavl import export, hashing, node, proof, read, write
from iavl.disk import nodes, unwritten
from iavl.errors import UnprovableAbsence
from iavl.node import Loader, Node
from iavl.read import Entry, Gap
from iavl.write import Change

VERSION = 3
"""Of what is used here; pyibc-native says its own, and another is not used."""


class Checker(Protocol):
    """Takes the chunks of an export, and keeps nothing of them."""

    def feed(self, chunk: bytes, /) -> bool:
        """Whether the next chunk may be the export's; False for good once one was not."""

    def finish(self) -> bool:
        """Whether all chunks were the export's, and nothing is missing."""


Iterate = Callable[[Node | None, bytes, bytes | None], Iterator[Entry]]


@dataclass(frozen=True, slots=True)
class Engine:
    """All that makes nodes or looks at many of them; the names are those of Python's functions."""

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
    unwritten: Callable[[list[Node], int], unwritten.Unwritten]
    export: Callable[[bytes, list[Node]], export.Telling]
    checker: Callable[[list[str], int, bytes], Checker] | None
    """Of an export with these stores, version and app hash; None: none is quicker than `iavl.restore`."""


PYTHON = Engine(
    new_leaf=node.new_leaf,
    new_inner=node.new_inner,
    strip=node.strip,
    find=read.find,
    find_or_gap=read.find_or_gap,
    ascend=read.ascend,
    descend=read.descend,
    set_key=write.set_key,
    remove_key=write.remove_key,
    apply_changes=write.apply_changes,
    hash_dirty=hashing.hash_dirty,
    prove=proof.prove,
    node_record=nodes.node_record,
    loader=nodes.NodeLoader,
    unwritten=unwritten.Unwritten,
    export=export.Export,
    checker=None,
)


def native(tree: Any) -> Engine:
    """The engine of pyibc-native; `tree`: its module of this name."""

    def prove(root: Node | None, key: bytes) -> tuple[bytes | None, bytes]:
        if root is None:
            raise UnprovableAbsence(key)
        found: tuple[bytes | None, bytes] = tree.prove(root, key)
        return found

    def loader(path: str, source: nodes.Source) -> Loader:
        records = nodes.Records(path, source)
        found: Loader = tree.Loader(records.read, records.damaged)
        return found

    return Engine(
        new_leaf=tree.new_leaf,
        new_inner=tree.new_inner,
        strip=tree.strip,
        find=tree.find,
        find_or_gap=tree.find_or_gap,
        ascend=tree.ascend,
        descend=tree.descend,
        set_key=tree.set_key,
        remove_key=tree.remove_key,
        apply_changes=tree.apply_changes,
        hash_dirty=tree.hash_dirty,
        prove=prove,
        node_record=tree.node_record,
        loader=loader,
        unwritten=tree.Unwritten,
        export=tree.Export,
        checker=tree.Checker,
    )


def load(switch: str | None) -> tuple[Engine, str]:
    """The engine to use, and why: what `pyibc doctor` says.

    `switch`: the value of PYIBC_NATIVE; `0` is off.
    """
    if switch == "0":
        return PYTHON, "switched off by PYIBC_NATIVE=0"
    try:
        import pyibc_native  # noqa: PLC0415 - may not be there
    except ImportError:
        return PYTHON, "not installed"
    tree = getattr(pyibc_native, "tree", None)
    found = getattr(tree, "VERSION", None)
    # guard: h199-any-version-of-the-tree test_h199_another_version_of_the_tree_is_not_used
    if found != VERSION:
        return PYTHON, f"not used: version {found!a} of the tree is installed, {VERSION} is needed"
    return native(tree), f"in use, version {VERSION}"


CHOSEN, WHY = load(os.environ.get("PYIBC_NATIVE"))

now = CHOSEN
"""The engine in use."""


def use(engine: Engine) -> Engine:
    """Uses `engine` from now on; returns the one before: for tests, which compare two.

    Whatever holds nodes of the other one cannot be used until that is back.
    """
    global now
    before, now = now, engine
    return before
