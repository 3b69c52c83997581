"""Rebuilds a version from exported bytes (`iavl.export`) of an untrusted source.

All hashes are computed here and compared with the app hash, which is known from elsewhere: of the head at
once, of each record when it or the low subtree it belongs to is read. What is kept between two chunks is a
path from a root down, and the record that is cut by their border.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Protocol

from iavl import engine
from iavl.collector import CollectorPaused
from iavl.errors import BadExport, WrongExport
from iavl.export import HEAD, INNER, LEAF, LOW, LOW_HEIGHT, Lock
from iavl.hashing import HASH_LENGTH
from iavl.node import Node
from iavl.sha import EMPTY_HASH, sha256
from iavl.simple import simple_root
from iavl.varint import decode_uvarint, varint

MAX_TEXT = 1 << 24
"""Bytes of a key or value, at most: 16 MiB."""
_TALLEST = 90
"""Height of a balanced tree with 2^62 leaves; higher trees are refused."""
_LONGEST_VARINT = 10
_HASH = 32
_PIECE = 1 << 14
"""Bytes of an export that Python checks at a time: some 180 nodes. Of a longer record as many as it has."""
_MAX_U64 = (1 << 64) - 1


class _CutShort(Exception):
    """The rest of a record is in the next chunk."""


class NodeSink(Protocol):
    """Takes the nodes of a version that is being restored."""

    def add(self, node: Node) -> None:
        """Takes a hashed node, whose children it took before. It may free what is below the node."""


class _KeepsAll:
    """Leaves the nodes where they are: in memory, below their roots."""

    def add(self, node: Node) -> None:
        """Does nothing."""


class _Forgets:
    """Frees every node's content: what is left of a version is that its hashes were right."""

    def add(self, node: Node) -> None:
        engine.now.strip(node)


class _Inner:
    """An inner node whose children are being read."""

    __slots__ = ("hashes", "left", "low", "smallest", "version")

    def __init__(self, version: int, hashes: tuple[bytes, bytes], low: int) -> None:
        self.version = version
        self.hashes = hashes  # of the children; empty where they are not told
        self.low = low  # how many low nodes there are from here up without another between
        self.left: Node | None = None
        self.smallest = b""


class Importer:
    """Takes one version, chunk by chunk.

    Args:
        names: The stores it must have.
        version: Which version it is: no node is younger.
        app_hash: What it must hash to.
        sink: Where its nodes go; None: they stay in memory.
        lock: Held while a chunk is taken.
    """

    def __init__(
        self,
        names: Iterable[str],
        version: int,
        app_hash: bytes,
        sink: NodeSink | None = None,
        lock: Lock | None = None,
    ) -> None:
        self.version = version
        self.app_hash = app_hash
        self._names = sorted(names)
        self._sink = sink or _KeepsAll()
        self._lock = lock or nullcontext()
        self._pending = b""
        self._left: list[tuple[str, bytes]] | None = (
            None  # stores to come and their root hashes; None: no head
        )
        self._roots: dict[str, Node | None] = {}
        self._stack: list[_Inner] = []

    def feed(self, chunk: bytes) -> None:
        """Takes the next chunk. After an error this object cannot be used any more.

        Raises:
            WrongExport: its head has another app hash.
            BadExport: a record is malformed, or not the one that the hashes before it name.
            StorageError: the disk refused.
        """
        with self._lock, CollectorPaused():
            data, at = self._pending + chunk, 0
            try:
                while at < len(data):
                    at = self._record(data, at)
            except _CutShort:
                pass
            self._pending = data[at:]

    @property
    def cut(self) -> int:
        """Bytes that are kept of a record whose rest is in the next chunk."""
        return len(self._pending)

    def finish(self) -> dict[str, Node | None]:
        """The roots of all stores.

        Raises:
            BadExport: something is missing.
        """
        if self._pending or self._left is None or self._left:
            raise BadExport("it is cut short")
        return self._roots

    # -- inside

    def _record(self, data: bytes, at: int) -> int:
        """Reads the record at `at`; returns the offset after it."""
        kind, at = data[at : at + 1], at + 1
        if (kind == HEAD) is not (self._left is None):
            raise BadExport("the head is not where it belongs")
        if kind == HEAD:
            return self._head(data, at)
        if not self._left:
            raise BadExport("there are records behind its end")
        if kind == LEAF:
            version, at = self._born(data, at)
            key, at = _text(data, at)
            value, at = _text(data, at)
            self._leaf(key, value, version)
        elif kind == LOW:
            version, at = self._born(data, at)
            self._low(version)
        elif kind == INNER:
            at = self._inner(data, at)
        else:
            raise BadExport(f"no record begins with {kind!r}")
        return at

    def _head(self, data: bytes, at: int) -> int:
        count, at = _number(data, at)
        if count != len(self._names):
            raise BadExport(f"{count} stores, not {len(self._names)}")
        roots: dict[str, bytes] = {}
        for name in self._names:
            raw, at = _text(data, at)
            if raw != name.encode():
                raise BadExport(f"a store {raw[:64]!r} that is not expected here")
            roots[name], at = _take(data, at, _HASH)
        found = simple_root(roots)
        # guard: h105-the-head-is-believed test_h105_another_app_hash_is_refused_at_the_first_record
        if found != self.app_hash:
            raise WrongExport(self.app_hash, found)
        self._roots = dict.fromkeys(self._names)
        self._left = [(name, root) for name, root in roots.items() if root != EMPTY_HASH]
        self._left.reverse()
        return at

    def _inner(self, data: bytes, at: int) -> int:
        version, at = self._born(data, at)
        size, at = _number(data, at)
        height, at = _number(data, at)
        left, at = _take(data, at, _HASH)
        right, at = _take(data, at, _HASH)
        if height > _TALLEST or len(self._stack) >= _TALLEST:
            raise BadExport("a tree is too high")
        head = varint(height) + varint(size) + varint(version)
        found = sha256(b"".join((head, HASH_LENGTH, left, HASH_LENGTH, right))).digest()
        # guard: h105-inner-nodes-are-believed test_h105_bytes_that_are_no_export
        if found != self._expected():
            raise BadExport("an inner node has another hash than its parent says")
        self._stack.append(_Inner(version, (left, right), 0))
        return at

    def _low(self, version: int) -> None:
        low = self._stack[-1].low + 1 if self._stack else 1
        # guard: h105-trees-without-hashes-are-of-any-height test_h105_bytes_that_are_no_export
        if low > LOW_HEIGHT:
            raise BadExport("a tree without hashes is too high")
        self._stack.append(_Inner(version, (b"", b""), low))

    def _leaf(self, key: bytes, value: bytes, version: int) -> None:
        if not key:
            raise BadExport("a leaf without a key")
        node, smallest = engine.now.new_leaf(key, value), key
        engine.now.hash_dirty(node, version)
        while True:  # up, as long as a right child is done with it
            expected = self._expected()
            # guard: h105-leaves-are-believed test_h105_a_made_up_node_is_refused_within_eight_leaves
            #   test_h105_a_lying_chunk_is_refused_when_it_comes_and_its_sender_left
            if expected and node.hash != expected:
                raise BadExport("a node has another hash than its parent says")
            self._sink.add(node)
            if not self._stack:
                self._end_store(node)
                return
            above = self._stack[-1]
            if above.left is None:
                above.left, above.smallest = node, smallest
                return
            self._stack.pop()
            parent = engine.now.new_inner(smallest, above.left, node)
            engine.now.hash_dirty(parent, above.version)
            node, smallest = parent, above.smallest

    def _expected(self) -> bytes:
        """The hash of the node that is next to be whole; empty if its parent does not tell."""
        if self._stack:
            above = self._stack[-1]
            return above.hashes[above.left is not None]
        return self._left[-1][1] if self._left else b""

    def _end_store(self, root: Node) -> None:
        if self._left:
            name, _ = self._left.pop()
            self._roots[name] = root

    def _born(self, data: bytes, at: int) -> tuple[int, int]:
        version, at = _number(data, at)
        if not 0 < version <= self.version:
            raise BadExport(f"a node of version {version} in version {self.version}")
        return version, at


def check(
    names: Iterable[str],
    version: int,
    app_hash: bytes,
    chunks: Callable[[], Iterable[bytes]],
    rest: Callable[[], None] = lambda: None,
) -> None:
    """Checks that chunks are that version; nothing of them is kept.

    Args:
        names: The stores it must have.
        version: Which version it is.
        app_hash: What it must hash to.
        chunks: Reads them, from the first one on; called once more if native code refuses them.
        rest: Called each few milliseconds of Python's work, so that other threads come to theirs.

    Raises:
        WrongExport, BadExport: they are not; as `Importer`.
    """
    stores = sorted(names)
    if engine.now.checker is not None and _accepts(engine.now.checker(stores, version, app_hash), chunks()):
        return
    importer = checker(stores, version, app_hash)
    for chunk in chunks():
        at = 0
        while at < len(chunk):
            # guard: a-long-record-is-copied-with-each-piece {max(_PIECE, importer.cut) => _PIECE}
            #   test_a_record_longer_than_a_piece_is_not_copied_with_each_piece
            piece = chunk[at : at + max(_PIECE, importer.cut)]
            importer.feed(piece)
            at += len(piece)
            # guard: h242-python-never-rests test_python_alone_reads_them_once_and_rests_in_between
            rest()
    importer.finish()


def checker(names: Iterable[str], version: int, app_hash: bytes) -> Importer:
    """An importer that keeps nothing: it tells whether the chunks are that version."""
    return Importer(names, version, app_hash, _Forgets())


def _accepts(checker: engine.Checker, chunks: Iterable[bytes]) -> bool:
    # guard: what-native-code-refuses-python-does-not-look-at always
    #   test_what_it_refuses_python_looks_at_from_the_start
    # guard: what-is-missing-at-the-end-is-accepted drop:finish
    #   test_what_it_refuses_python_looks_at_from_the_start
    return all(checker.feed(chunk) for chunk in chunks) and checker.finish()


def _number(data: bytes, at: int) -> tuple[int, int]:
    try:
        number, end = decode_uvarint(data, at)
    except ValueError as error:
        if len(data) - at < _LONGEST_VARINT:
            raise _CutShort from None
        raise BadExport(str(error)) from error
    if number > _MAX_U64:
        raise BadExport("a number of more than 64 bits")
    return number, end


def _text(data: bytes, at: int) -> tuple[bytes, int]:
    length, at = _number(data, at)
    if length > MAX_TEXT:
        raise BadExport(f"a text of {length} bytes")
    return _take(data, at, length)


def _take(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    if len(data) - at < length:
        raise _CutShort
    return data[at : at + length], at + length
