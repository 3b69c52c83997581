"""Restore of a version from exported bytes (`iavl.export`) of an untrusted source.

All hashes are computed here and compared with the trusted app hash: the head's at once, each record's when it
or the low subtree that contains it has been read. Between two chunks only a path from a root down is
retained, and the record that spans the chunk boundary.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Protocol

from iavl import engine
from iavl.commit_info import simple_root
from iavl.errors import BadExport, WrongExport
from iavl.export import HEAD, INNER, LEAF, LOW, LOW_HEIGHT, Lock
from iavl.gc_pause import GcPaused
from iavl.nodes.node import HASH_LENGTH, Node
from iavl.sha import EMPTY_HASH, decode_uvarint, sha256, varint

MAX_TEXT = 1 << 24
"""Maximum size of a key or value: 16 MiB."""
_TALLEST = 90
"""Height of a balanced tree with 2^62 leaves; higher trees are rejected."""
_LONGEST_VARINT = 10
_HASH = 32
_PIECE = 1 << 14
"""Bytes of an export that Python processes at a time, some 180 nodes; a longer record is processed whole."""
_MAX_U64 = (1 << 64) - 1


class _CutShort(Exception):
    """The rest of a record is in a later chunk."""

    def __init__(self, end: int) -> None:
        """Set `end`, the minimum offset at which the value being read ends."""
        super().__init__()
        self.end = end


class NodeSink(Protocol):
    """Receiver of the nodes of a version that is being restored."""

    def add(self, node: Node) -> None:
        """Receive a hashed node, after its children. The sink may free the node's subtree."""


class _MemorySink:
    """Sink that leaves the nodes in memory, below their roots."""

    def add(self, node: Node) -> None:
        """Do nothing."""


class _DiscardingSink:
    """Sink that frees every node's content, for verification only."""

    def add(self, node: Node) -> None:
        engine.active.strip(node)


class _Inner:
    """An inner node whose children are being read."""

    __slots__ = ("hashes", "left", "low", "smallest", "version")

    def __init__(self, version: int, hashes: tuple[bytes, bytes], low: int) -> None:
        self.version = version
        self.hashes = hashes  # of the children; empty in a low node
        self.low = low  # number of consecutive low nodes from here upwards
        self.left: Node | None = None
        self.smallest = b""


class Importer:
    """Importer of one version, chunk by chunk.

    Args:
        names: Names of the stores.
        version: Number of the version; no node may be newer.
        app_hash: Trusted app hash.
        sink: Receiver of the nodes; None leaves them in memory.
        lock: Held while a chunk is processed.
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
        self._sink = sink or _MemorySink()
        self._lock = lock or nullcontext()
        self._pending: list[bytes] = []
        """Chunks of an incomplete record, joined once enough bytes have arrived."""
        self._cut = 0  # bytes of the incomplete record
        self._wanted = 0  # minimum size of the incomplete record
        self._left: list[tuple[str, bytes]] | None = (
            None  # stores to come and their root hashes; None before the head
        )
        self._roots: dict[str, Node | None] = {}
        self._stack: list[_Inner] = []

    def feed(self, chunk: bytes) -> None:
        """Process the next chunk. After an error this object cannot be used any more.

        Raises:
            WrongExport: the head has another app hash.
            BadExport: a record is malformed, or does not match the hashes before it.
            StorageError: the disk failed.
        """
        self._pending.append(chunk)
        self._cut += len(chunk)
        # guard: h254-a-record-is-put-together-with-each-chunk
        #   test_h254_a_record_in_many_chunks_is_put_together_once
        if self._cut < self._wanted:
            return
        with self._lock, GcPaused():
            data, at, wanted = b"".join(self._pending), 0, 0
            try:
                while at < len(data):
                    at = self._record(data, at)
            except _CutShort as short:
                wanted = short.end - at
            self._pending = [data[at:]]
            self._cut, self._wanted = len(data) - at, wanted

    @property
    def cut(self) -> int:
        """Bytes retained of a record that continues in the next chunk."""
        return self._cut

    def finish(self) -> dict[str, Node | None]:
        """Return the roots of all stores.

        Raises:
            BadExport: the export is incomplete.
        """
        if self._cut or self._left is None or self._left:
            raise BadExport("it is truncated")
        return self._roots

    # -- internals

    def _record(self, data: bytes, at: int) -> int:
        """Read the record at `at`; return the offset after it."""
        kind, at = data[at : at + 1], at + 1
        if (kind == HEAD) is not (self._left is None):
            raise BadExport("misplaced head record")
        if kind == HEAD:
            return self._head(data, at)
        if not self._left:
            raise BadExport("trailing records")
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
            raise BadExport(f"unknown record type {kind!r}")
        return at

    def _head(self, data: bytes, at: int) -> int:
        count, at = _number(data, at)
        if count != len(self._names):
            raise BadExport(f"{count} stores instead of {len(self._names)}")
        roots: dict[str, bytes] = {}
        for name in self._names:
            raw, at = _text(data, at)
            if raw != name.encode():
                raise BadExport(f"unexpected store {raw[:64]!r}")
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
            raise BadExport("the hash of an inner node differs from that in its parent")
        self._stack.append(_Inner(version, (left, right), 0))
        return at

    def _low(self, version: int) -> None:
        low = self._stack[-1].low + 1 if self._stack else 1
        # guard: h105-trees-without-hashes-are-of-any-height test_h105_bytes_that_are_no_export
        if low > LOW_HEIGHT:
            raise BadExport("a subtree without hashes is too high")
        self._stack.append(_Inner(version, (b"", b""), low))

    def _leaf(self, key: bytes, value: bytes, version: int) -> None:
        if not key:
            raise BadExport("a leaf has an empty key")
        node, smallest = engine.active.new_leaf(key, value), key
        engine.active.hash_dirty(node, version)
        while True:  # move up while the node completes its parent
            expected = self._expected()
            # guard: h105-leaves-are-believed test_h105_a_made_up_node_is_refused_within_eight_leaves
            #   test_h105_a_lying_chunk_is_refused_when_it_comes_and_its_sender_left
            if expected and node.hash != expected:
                raise BadExport("the hash of a node differs from that in its parent")
            self._sink.add(node)
            if not self._stack:
                self._end_store(node)
                return
            above = self._stack[-1]
            if above.left is None:
                above.left, above.smallest = node, smallest
                return
            self._stack.pop()
            parent = engine.active.new_inner(smallest, above.left, node)
            engine.active.hash_dirty(parent, above.version)
            node, smallest = parent, above.smallest

    def _expected(self) -> bytes:
        """Return the hash of the next node to be completed; empty if its parent is a low node."""
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
    """Check that the chunks are a complete export of a version; retain nothing.

    Args:
        names: Names of the stores.
        version: Number of the version.
        app_hash: Trusted app hash.
        chunks: Returns the chunks from the first one; called once more if native code rejects them.
        rest: Called every few milliseconds of work in Python, to let other threads run.

    Raises:
        WrongExport, BadExport: the chunks are not that export; see `Importer`.
    """
    stores = sorted(names)
    if engine.active.checker is not None and _accepts(
        engine.active.checker(stores, version, app_hash), chunks()
    ):
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
    """Return an importer that only verifies chunks and retains nothing."""
    return Importer(names, version, app_hash, _DiscardingSink())


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
            raise _CutShort(len(data) + 1) from None
        raise BadExport(str(error)) from error
    if number > _MAX_U64:
        raise BadExport("a number exceeds 64 bits")
    return number, end


def _text(data: bytes, at: int) -> tuple[bytes, int]:
    length, at = _number(data, at)
    if length > MAX_TEXT:
        raise BadExport(f"a key, value or name has {length} bytes")
    return _take(data, at, length)


def _take(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    if len(data) - at < length:
        raise _CutShort(at + length)
    return data[at : at + length], at + length
