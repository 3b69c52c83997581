"""Rebuilds nodes from exported bytes (`iavl.export`) of an untrusted source.

All hashes are computed here. The trees are accepted only if these add up to an app hash that is known from
elsewhere (`MultiStore.restore`).
"""

from collections.abc import Iterable

from iavl.errors import BadExport
from iavl.export import INNER, LEAF, STORE
from iavl.hashing import hash_dirty
from iavl.node import Node, new_leaf
from iavl.varint import decode_uvarint

_TALLEST = 90
"""Height of a balanced tree with 2^62 leaves; higher trees are refused."""
_LONGEST_VARINT = 10


class _CutShort(Exception):
    """The rest of a record is in the next chunk."""


class Importer:
    """Builds one version's trees, chunk by chunk.

    Args:
        names: The stores it must have, each once and in byte order.
        version: Which version it is: no node is younger.
        limit: Bytes of all chunks together.
    """

    def __init__(self, names: Iterable[str], version: int, limit: int = 1 << 32) -> None:
        self._left = list(names)
        self._version = version
        self._limit = limit
        self._pending = b""
        self._roots: dict[str, Node | None] = {}
        self._name: str | None = None
        self._stack: list[tuple[Node, bytes]] = []  # a subtree and its smallest key

    def feed(self, chunk: bytes) -> None:
        """Takes the next chunk.

        Raises:
            BadExport: a record is malformed. This object cannot be used any more.
        """
        self._limit -= len(chunk)
        if self._limit < 0:
            raise BadExport("it is longer than what is taken")
        data, at = self._pending + chunk, 0
        try:
            while at < len(data):
                at = self._record(data, at)
        except _CutShort:
            pass
        self._pending = data[at:]

    def finish(self) -> dict[str, Node | None]:
        """The roots of all stores, whose nodes are hashed.

        Raises:
            BadExport: something is missing.
        """
        self._close_store()
        if self._pending or self._left:
            raise BadExport("it is cut short")
        return self._roots

    # -- inside

    def _record(self, data: bytes, at: int) -> int:
        """Reads the record at `at`; returns the offset after it."""
        kind, at = data[at : at + 1], at + 1
        if kind == LEAF:
            version, at = self._born(data, at)
            key, at = _text(data, at)
            value, at = _text(data, at)
            self._leaf(key, value, version)
        elif kind == INNER:
            version, at = self._born(data, at)
            self._inner(version)
        elif kind == STORE:
            name, at = _text(data, at)
            self._open_store(name)
        else:
            raise BadExport(f"no record begins with {kind!r}")
        return at

    def _open_store(self, raw: bytes) -> None:
        self._close_store()
        if not self._left or raw != self._left[0].encode():
            raise BadExport(f"a store {raw[:64]!r} that is not expected here")
        self._name = self._left.pop(0)

    def _close_store(self) -> None:
        if self._name is None:
            return
        if len(self._stack) > 1:
            raise BadExport("a tree has several roots")
        self._roots[self._name] = self._stack.pop()[0] if self._stack else None
        self._name = None

    def _leaf(self, key: bytes, value: bytes, version: int) -> None:
        if self._name is None or not key:
            raise BadExport("a leaf outside of a store, or without a key")
        leaf = new_leaf(key, value)
        hash_dirty(leaf, version)
        self._stack.append((leaf, key))

    def _inner(self, version: int) -> None:
        if len(self._stack) < 2:
            raise BadExport("an inner node without two children")
        right, middle = self._stack.pop()
        left, smallest = self._stack.pop()
        node = Node()
        node.key, node.left, node.right, node.hash = middle, left, right, b""
        node.height = max(left.height, right.height) + 1
        if node.height > _TALLEST:
            raise BadExport("a tree is too high")
        hash_dirty(node, version)
        self._stack.append((node, smallest))

    def _born(self, data: bytes, at: int) -> tuple[int, int]:
        version, at = _number(data, at)
        if not 0 < version <= self._version:
            raise BadExport(f"a node of version {version} in version {self._version}")
        return version, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    try:
        return decode_uvarint(data, at)
    except ValueError as error:
        if len(data) - at < _LONGEST_VARINT:
            raise _CutShort from None
        raise BadExport(str(error)) from error


def _text(data: bytes, at: int) -> tuple[bytes, int]:
    length, at = _number(data, at)
    if len(data) - at < length:
        raise _CutShort
    return data[at : at + length], at + length
