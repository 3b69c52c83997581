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
from typing import Protocol

from iavl.node import Node
from iavl.sha import EMPTY_HASH
from iavl.varint import uvarint

HEAD, LEAF, INNER, LOW = b"\x00", b"\x01", b"\x02", b"\x03"
LOW_HEIGHT = 3
"""Up to here an inner node's record lacks what its children's records say as well."""
_BATCH = 400
"""Records made at a time, about a millisecond of Python's work: meanwhile nobody else has the store."""

Lock = AbstractContextManager[object]


class Telling(Protocol):
    """The records of some trees, behind a head. It ends where it raises."""

    def take(self, most: int, /) -> bytes:
        """The next records, `most` at most and the head, in a row; nothing: that was all."""


class Export:
    """The records of the trees below `roots`, behind `head`: Python's way to tell them (`iavl.engine`)."""

    def __init__(self, head: bytes, roots: list[Node]) -> None:
        self._head = head
        self._records = records(roots)

    def take(self, most: int, /) -> bytes:
        """The next records, `most` at most and the head, in a row; nothing: that was all."""
        head, self._head = self._head, b""
        return head + b"".join(islice(self._records, most))


def records(roots: list[Node]) -> Iterator[bytes]:
    """The records of these trees, one after the other.

    A node that was not in memory before it is read here is not afterwards: of the whole tree no more is in
    memory than a path and what hangs on it.
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
            loader.empty(node)  # what it was; its children are on the stack
        yield record


def head(roots: Mapping[str, Node | None]) -> bytes:
    """The record of all stores' names, in byte order, and their root hashes."""
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
    telling: Telling, size: int, lock: Lock, relax: Callable[[], None], give_way: Callable[[], None]
) -> Iterator[bytes]:
    """What is told in pieces of `size` bytes, the last one shorter.

    The lock is held only while nodes are read; after each batch of them others may go first.
    """
    pending = bytearray()
    while True:
        with lock:
            told = telling.take(_BATCH)
            relax()
        if not told:
            break
        pending += told
        while len(pending) >= size:
            yield bytes(pending[:size])
            del pending[:size]
        give_way()
    if pending:
        yield bytes(pending)
