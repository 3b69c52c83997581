"""Checkpoints: snapshots of the nodes that are live when a checkpoint starts, written to disk in slices.

A checkpoint freezes the roots of one version and walks, children first, the nodes without a serial. Each
block's transaction writes a slice of that walk. The checkpoint takes effect when the last slice writes the
point (roots and first unused serial); the nodes of an unfinished one are deleted when the store is opened.
The timeline is the index of the checkpoints and blocks on disk, and the window of retained versions.
"""

import struct
from bisect import bisect_right
from collections.abc import Mapping

from iavl import engine
from iavl.disk.blocks import version_key, version_of
from iavl.disk.database.data_file import sealed, unsealed
from iavl.disk.database.environment import Environment, Transaction
from iavl.errors import CorruptDatabase
from iavl.nodes.node import Loader, Node

Roots = Mapping[str, Node | None]

DATABASE = "checkpoint"
"""Name of `points` in the seals of its records."""
_BATCH = 5_000
_HEAD = struct.Struct(">QH")  # first unused serial, number of stores
_NAME = struct.Struct(">H")
_ROOT = struct.Struct(">QQQB32s")  # serial (0: an empty store), version, size, height, hash
_EMPTY = _ROOT.pack(0, 0, 0, 0, bytes(32))


def encode_point(version: int, next_serial: int, roots: Roots) -> bytes:
    """Encode the record of a finished checkpoint."""
    parts = [_HEAD.pack(next_serial, len(roots))]
    for name, root in roots.items():
        raw = name.encode()
        parts += _NAME.pack(len(raw)), raw
        if root is None:
            parts.append(_EMPTY)
        else:
            parts.append(_ROOT.pack(root.serial, root.version, root.size, root.height, root.hash))
    return sealed(DATABASE, version_key(version), b"".join(parts))


def decode_point(
    path: str, version: int, record: bytes | None, loader: Loader
) -> tuple[int, dict[str, Node | None]]:
    """Decode the first unused serial and the roots, as hollow nodes.

    Raises:
        RecordMissing: the record does not exist.
        CorruptDatabase: the record is damaged.
    """
    record = unsealed(path, DATABASE, version_key(version), record)
    try:
        return _decode(record, loader)
    except (struct.error, UnicodeDecodeError) as error:
        raise CorruptDatabase(path, f"checkpoint {version}: {error}") from error


def _decode(record: bytes, loader: Loader) -> tuple[int, dict[str, Node | None]]:
    next_serial, count = _HEAD.unpack_from(record)
    at = _HEAD.size
    roots: dict[str, Node | None] = {}
    for _ in range(count):
        end = at + _NAME.size + _NAME.unpack_from(record, at)[0]
        name = record[at + _NAME.size : end].decode()
        fields = _ROOT.unpack_from(record, end)
        roots[name] = loader.new(*fields) if fields[0] else None
        at = end + _ROOT.size
    return next_serial, roots


class Checkpoint:
    """A checkpoint in progress: the frozen roots of `version`, and the walk over the nodes to be written."""

    def __init__(self, env: Environment, version: int, roots: Roots, next_serial: int) -> None:
        self.version = version
        self.written = 0
        """Nodes written so far."""
        self._env = env
        self._roots = roots
        trees = [root for root in roots.values() if root is not None]
        self._unwritten = engine.active.unwritten(trees, next_serial)

    def write_slice(self, txn: Transaction, nodes: int) -> bool:
        """Write up to `nodes` more; return True when the walk is done and the point is written."""
        while nodes > 0:
            batch = self._unwritten.take(min(nodes, _BATCH))
            self._env.append_nodes(txn, batch)
            self.written += len(batch)
            self._env.probe("slice")
            if len(batch) < min(nodes, _BATCH):
                record = encode_point(self.version, self.next_serial, self._roots)
                txn.put(version_key(self.version), record, db=self._env.points)
                self._env.probe("point")
                return True
            nodes -= len(batch)
        return False

    @property
    def next_serial(self) -> int:
        """First serial without a node."""
        return self._unwritten.next_serial


class Timeline:
    """Finished checkpoints and logged blocks, oldest first, and the window of retained versions.

    A version is rebuilt from the last checkpoint at or before it and the blocks after that checkpoint. So the
    oldest retained version's checkpoint, the base, must stay with the blocks after it. Before the first
    checkpoint the base is the empty tree, and all blocks stay.

    Raises, when created:
        CorruptDatabase: a checkpoint is damaged, or the log lacks blocks.
    """

    def __init__(self, env: Environment, keep_versions: int | None) -> None:
        self._env = env
        self._keep = keep_versions
        self.points = [self._version(key) for key in env.keys(env.points)]
        self.first_block, self.last_block = self._logged()
        """Oldest and last block in the log, 0 if there is none."""
        for version in self.points:
            unsealed(env.path, DATABASE, version_key(version), env.read(env.points, version_key(version)))
        if self.points and not self.first_block <= self.points[0] <= self.points[-1] <= self.last_block:
            raise CorruptDatabase(env.path, "checkpoints and blocks have different versions")

    def _logged(self) -> tuple[int, int]:
        env = self._env
        ends = env.ends(env.log)
        first, last = (0, 0) if ends is None else (self._version(ends[0]), self._version(ends[1]))
        if ends is not None and ends[2] != last - first + 1:
            raise CorruptDatabase(env.path, f"the log has {ends[2]} blocks from {first} to {last}")
        return first, last

    def _version(self, key: bytes) -> int:
        if len(key) != len(version_key(0)):
            raise CorruptDatabase(self._env.path, f"malformed version key {key!r}")
        return version_of(key)

    def point_before(self, version: int) -> int:
        """Return the last checkpoint at or before `version`, 0 if there is none."""
        index = bisect_right(self.points, version)
        return self.points[index - 1] if index else 0

    def kept(self) -> range:
        """Return the versions that can be loaded."""
        first = self.first_block
        if self._keep is not None:
            first = max(first, self.last_block - self._keep + 1)
        return range(max(first, 1), self.last_block + 1)

    def logged(self, version: int) -> None:
        """Record that a block was written."""
        self.first_block = self.first_block or version
        self.last_block = version

    def clear(self, txn: Transaction) -> None:
        """Delete all blocks, checkpoints and orphan lists; nodes remain."""
        env = self._env
        for database in (env.log, env.points, env.orphans):
            txn.drop(database, delete=False)
        self.points, self.first_block, self.last_block = [], 0, 0
        env.probe("cleared")

    def base(self) -> int:
        """Return the checkpoint that the oldest retained version needs, 0 for the empty tree."""
        return self.point_before(self.kept().start)

    def delete_old(self, txn: Transaction, base: int) -> None:
        """Delete the blocks and checkpoints before the base."""
        for version in range(self.first_block, base):
            txn.delete(version_key(version), db=self._env.log)
        for point in self.points[: bisect_right(self.points, base - 1)]:
            txn.delete(version_key(point), db=self._env.points)
        self.first_block = max(self.first_block, base)
        self.points = [point for point in self.points if point >= base]
        self._env.probe("pruned")
