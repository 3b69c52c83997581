"""A whole version as bytes, from which another store can be restored: every node with its version.

    store:  03 | length, name            before its nodes; all stores, in byte order
    leaf:   01 | version | length, key | length, value
    inner:  02 | version                 after both of its children, of which the left comes first

Numbers are unsigned varints. An inner node's key, which its hash does not cover, is left out: it follows
from the leaves. The same version gives the same bytes on every machine.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain, islice

from iavl.node import Node
from iavl.varint import uvarint

LEAF, INNER, STORE = b"\x01", b"\x02", b"\x03"
_BATCH = 1_000

Lock = AbstractContextManager[object]


def records(roots: Iterable[tuple[str, Node | None]]) -> Iterator[bytes]:
    """The records of these stores."""
    return chain.from_iterable(_store(name, root) for name, root in roots)


def _store(name: str, root: Node | None) -> Iterator[bytes]:
    raw = name.encode()
    yield STORE + uvarint(len(raw)) + raw
    stack = [] if root is None else [(root, False)]
    while stack:
        node, are_children_told = stack.pop()
        if not node.height:
            key, value = node.key, node.value
            yield b"".join((LEAF, uvarint(node.version), uvarint(len(key)), key, uvarint(len(value)), value))
        elif are_children_told:
            yield INNER + uvarint(node.version)
        else:
            stack += ((node, True), (node.right, False), (node.left, False))


def chunks(told: Iterator[bytes], size: int, lock: Lock, relax: Callable[[], None]) -> Iterator[bytes]:
    """Records in pieces of `size` bytes, the last one shorter; the lock is held only while nodes are read."""
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
    if pending:
        yield bytes(pending)
