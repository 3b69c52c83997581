"""Export of a version as bytes, from which another store can be restored: every node with its version.

    head:   00 | count, then all stores in byte order: length, name | root hash 32 B (empty: SHA-256 of "")
    inner:  02 | version | size | height | hash of the left child 32 B | of the right one 32 B
    low:    03 | version                      an inner node of height 3 or less
    leaf:   01 | version | length, key | length, value

The head hashes to the app hash. The trees of the non-empty stores follow, each node before its children, and
the left child before the right one. So a reader always knows the next hash: an inner node is verified when
its record is read, a low one when its leaves are, at most eight. A malicious sender cannot make the reader
process or store more than that before it detects a mismatch with the app hash.

Numbers are unsigned varints of up to 64 bits. An inner node's key, which its hash does not cover, is omitted:
it follows from the leaves. The export of a version is the same bytes on every machine.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import islice
from typing import Protocol

from iavl.nodes.node import Node
from iavl.sha import EMPTY_HASH, uvarint

HEAD, LEAF, INNER, LOW = b"\x00", b"\x01", b"\x02", b"\x03"
LOW_HEIGHT = 3
"""Maximum height of an inner node whose record omits the fields that follow from its descendants."""
_BATCH = 400
"""Records encoded per batch, about a millisecond in Python, during which the store is locked."""

Lock = AbstractContextManager[object]


class RecordStream(Protocol):
    """Stream of the records of some trees, after a head. It ends when it raises."""

    def take(self, most: int, /) -> bytes:
        """Return the next `most` records (and the head, first) concatenated; empty at the end."""


class Export:
    """The records of the trees below `roots`, after `head`: the Python implementation (see `iavl.engine`)."""

    def __init__(self, head: bytes, roots: list[Node]) -> None:
        self._head = head
        self._records = records(roots)

    def take(self, most: int, /) -> bytes:
        """Return the next `most` records (and the head, first) concatenated; empty at the end."""
        head, self._head = self._head, b""
        return head + b"".join(islice(self._records, most))


def records(roots: list[Node]) -> Iterator[bytes]:
    """Iterate over the records of these trees.

    A node that was not in memory before is unloaded after it is read: of the whole tree, only one path and
    the siblings along it are in memory.
    """
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        loader = node.loader
        if node.height:
            left, right = node.left, node.right
            stack += (right, left)
            record = _inner(node, left, right)
        else:
            record = _leaf(node)
        # guard: h105-what-was-read-for-an-export-stays drop
        #   test_h105_what_is_in_memory_does_not_grow_with_the_state
        if loader is not None:
            loader.empty(node)  # hollow again; its children are on the stack
        yield record


def head(roots: Mapping[str, Node | None]) -> bytes:
    """Return the record of all stores' names, in byte order, and their root hashes."""
    parts = [HEAD, uvarint(len(roots))]
    for name, root in roots.items():
        raw = name.encode()
        parts += uvarint(len(raw)), raw, EMPTY_HASH if root is None else root.hash
    return b"".join(parts)


def _leaf(node: Node) -> bytes:
    key, value = node.key, node.value
    return b"".join((LEAF, uvarint(node.version), uvarint(len(key)), key, uvarint(len(value)), value))


def _inner(node: Node, left: Node, right: Node) -> bytes:
    version = uvarint(node.version)
    if node.height <= LOW_HEIGHT:
        return LOW + version
    return b"".join((INNER, version, uvarint(node.size), uvarint(node.height), left.hash, right.hash))


def chunks(
    telling: RecordStream, size: int, lock: Lock, trim: Callable[[], None], yield_to_block: Callable[[], None]
) -> Iterator[bytes]:
    """Iterate over the stream in chunks of `size` bytes; the last one may be shorter.

    The lock is held only while nodes are read, and released between batches.
    """
    pending = bytearray()
    while True:
        with lock:
            told = telling.take(_BATCH)
            trim()
        if not told:
            break
        pending += told
        while len(pending) >= size:
            yield bytes(pending[:size])
            del pending[:size]
        yield_to_block()
    if pending:
        yield bytes(pending)
