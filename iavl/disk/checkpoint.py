"""Checkpoints: snapshots of the nodes that are live when a checkpoint starts, written to disk in slices.

A checkpoint freezes the roots of one version and walks, children first, the nodes without a serial. Each
block's transaction writes a slice of that walk. The checkpoint takes effect when the last slice writes the
point (roots and first unused serial); the nodes of an unfinished one are deleted when the store is opened.
"""

import struct
from collections.abc import Mapping

from iavl import engine
from iavl.disk.blocks import version_key
from iavl.disk.database.environment import Environment, Transaction
from iavl.disk.database.seal import sealed, unsealed
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
            self._put(txn, batch)
            self._env.probe("slice")
            if len(batch) < min(nodes, _BATCH):
                record = encode_point(self.version, self.next_serial, self._roots)
                txn.put(version_key(self.version), record, db=self._env.points)
                self._env.probe("point")
                return True
            nodes -= len(batch)
        return False

    def _put(self, txn: Transaction, batch: list[tuple[bytes, bytes]]) -> None:
        with txn.cursor(db=self._env.nodes) as cursor:
            _, added = cursor.putmulti(batch, append=True)
        if added != len(batch):  # LMDB does not raise if a key exists already
            raise CorruptDatabase(self._env.path, "a serial is used twice")
        self.written += added

    @property
    def next_serial(self) -> int:
        """First serial without a node."""
        return self._unwritten.next_serial
