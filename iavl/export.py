"""A whole version as bytes, from which another store can be restored: every node with its version.

    head:   00 | count, then all stores in byte order: length, name | root hash 32 B (empty: SHA-256 of "")
    inner:  02 | version | size | height | hash of the left child 32 B | of the right one 32 B
    low:    03 | version                      an inner node of height 3 or less, as a rule
    leaf:   01 | version | length, key | length, value

The head adds up to the app hash. Behind it come the trees of the stores that are not empty, each node before
its children and the left child before the right one. So a reader knows what hash is next: that of an inner
node is checked when its record is read, that of a low one when its leaves are, eight at most. Nobody can make
it read, or store, more than that before it notices that the app hash does not stand for it.

Numbers are unsigned varints of 64 bits. An inner node's key, which its hash does not cover, is left out: it
follows from the leaves. The same version gives the same bytes on every machine.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import islice

from iavl.node import Node
from iavl.sha import EMPTY_HASH
from iavl.varint import uvarint

HEAD, LEAF, INNER, LOW = b"\x00", b"\x01", b"\x02", b"\x03"
LOW_HEIGHT = 3
"""Up to here an inner node's record lacks what its children's records say as well."""
_BATCH = 400
"""Records made at a time, about a millisecond of work: meanwhile nobody else has the store."""

Lock = AbstractContextManager[object]


def records(roots: Mapping[str, Node | None]) -> Iterator[bytes]:
    """The records of these stores, in byte order of their names.

    A node that was not in memory before it is read here is not afterwards: of the whole tree no more is in
    memory than a path and what hangs on it.
    """
    yield _head(roots)
    for root in roots.values():
        stack = [] if root is None else [root]
        while stack:
            node = stack.pop()
            loader = node.loader
            if node.height:
                left, right = node.left, node.right
                stack += (right, left)
                record = _inner(node, left, right)
            else:
                record = _leaf(node)
            if loader is not None:
                loader.empty(node)  # what it was; its children are on the stack
            yield record


def _head(roots: Mapping[str, Node | None]) -> bytes:
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
    told: Iterator[bytes], size: int, lock: Lock, relax: Callable[[], None], give_way: Callable[[], None]
) -> Iterator[bytes]:
    """Records in pieces of `size` bytes, the last one shorter.

    The lock is held only while nodes are read; after each batch of them others may go first.
    """
    pending = bytearray()
    while True:
        with lock:
            batch = list(islice(told, _BATCH))
            relax()
        for record in batch:
            pending += record
            while len(pending) >= size:
                yield bytes(pending[:size])
                del pending[:size]
        if len(batch) < _BATCH:
            break
        give_way()
    if pending:
        yield bytes(pending)
