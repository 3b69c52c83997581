"""The write transaction of a block, including slices of checkpoints and the deletion of orphans.

Orphans are nodes of checkpoints that later versions replaced. They are listed with the first checkpoint that
no longer has them, in the transaction that writes its point (if it were earlier, a crash would leave a list
of nodes that are still live). They are deleted once every retained version is at or after that checkpoint:
with each block some chunks, each together with its nodes.
"""

import struct
from collections.abc import Iterable, Mapping

from iavl import engine
from iavl.commit_info import CommitInfo
from iavl.disk.blocks import HEAD, encode_block, encode_head, version_key
from iavl.disk.checkpoint import Checkpoint, Roots, Timeline
from iavl.disk.database.data_file import sealed, unsealed
from iavl.disk.database.environment import Environment, Transaction
from iavl.disk.database.settings import DiskOptions
from iavl.disk.nodes import serial_key
from iavl.disk.recovery import delete_unfinished
from iavl.errors import BadExport, CorruptDatabase, RecordMissing, StoreClosed
from iavl.nodes.node import Loader, Node
from iavl.nodes.write import Change

DATABASE = "orphan list"
"""Name of `orphans` in the seals of its records."""
_CHUNK = 1_000
_KEY = struct.Struct(">QI")
_SERIAL_SIZE = 8


def list_orphans(env: Environment, txn: Transaction, checkpoint: int, serials: Iterable[int]) -> None:
    """Write the orphan list of a checkpoint, in chunks."""
    ordered = sorted(serials)
    for number, start in enumerate(range(0, len(ordered), _CHUNK)):
        chunk = b"".join(map(serial_key, ordered[start : start + _CHUNK]))
        key = _KEY.pack(checkpoint, number)
        txn.put(key, sealed(DATABASE, key, chunk), db=env.orphans)
    env.probe("orphans")


def checkpoint_of(path: str, key: bytes) -> int:
    """Return the checkpoint of an orphan list.

    Raises:
        CorruptDatabase: the key is malformed.
    """
    if len(key) != _KEY.size:
        raise CorruptDatabase(path, f"malformed key {key!r} of an orphan list")
    checkpoint: int = _KEY.unpack(key)[0]
    return checkpoint


def decode_list(path: str, key: bytes, record: bytes) -> list[bytes]:
    """Return the keys of the nodes in an orphan list.

    Raises:
        CorruptDatabase: the record is damaged.
    """
    chunk = unsealed(path, DATABASE, key, record)
    return [chunk[at : at + _SERIAL_SIZE] for at in range(0, len(chunk), _SERIAL_SIZE)]


def delete_orphans(env: Environment, txn: Transaction, base: int, budget: int) -> None:
    """Delete about `budget` nodes listed with checkpoints up to `base`, in whole chunks.

    Raises:
        CorruptDatabase: a list is damaged.
        RecordMissing: a listed node does not exist.
    """
    with txn.cursor(db=env.orphans) as cursor:
        while budget > 0 and cursor.first():
            key, chunk = cursor.item()
            if checkpoint_of(env.path, key) > base:
                return
            serials = decode_list(env.path, key, chunk)
            for serial in serials:
                if not txn.delete(serial, db=env.nodes):
                    number = int.from_bytes(serial)
                    raise RecordMissing(env.path, f"orphaned node {number} is missing")
            budget -= len(serials)
            txn.delete(key, db=env.orphans)
            env.probe("deleted")


# -- writing of the nodes of a version that is being restored
#
# Nodes are written in batches, one transaction each, like those of a checkpoint without a point: they take
# effect with the last transaction, and those of an unfinished restore are deleted when the store is
# opened.

_BATCH_NODES = 10_000
_BATCH_BYTES = 8 << 20


class NodeImport:
    """Sink for the nodes of one version (`iavl.restore.NodeSink`).

    Args:
        env: Database to write to.
        loader: Unloads nodes that were written.
        first: First serial without a node.
    """

    def __init__(self, env: Environment, loader: Loader, first: int) -> None:
        self.next_serial = first
        """Serial of the next node."""
        self._env = env
        self._loader = loader
        self._first = first
        self._batch: list[tuple[bytes, bytes]] = []
        self._bytes = 0
        self._is_over = False

    def add(self, node: Node) -> None:
        """Assign the node a serial, queue its record, and unload its subtree.

        Raises:
            BadExport: this restore was aborted.
            StorageError: the disk failed.
        """
        # guard: h105-an-import-that-was-given-up-goes-on drop
        #   test_h105_a_restore_that_was_given_up_leaves_nothing_and_takes_nothing
        if self._is_over:
            raise BadExport("this restore was aborted")
        node.serial = self.next_serial
        self.next_serial += 1
        record = engine.active.node_record(node)
        self._batch.append((serial_key(node.serial), record))
        self._bytes += len(record)
        self._loader.empty(node)
        if len(self._batch) >= _BATCH_NODES or self._bytes >= _BATCH_BYTES:
            with self._env.writing() as txn:
                self._flush(txn)
                self._env.probe("imported")

    def finish(self, txn: Transaction) -> None:
        """Write the remaining nodes, and delete all earlier nodes."""
        self._flush(txn)
        with txn.cursor(db=self._env.nodes) as cursor:
            while cursor.first() and cursor.key() < serial_key(self._first):
                cursor.delete()
        self.give_up()

    def give_up(self) -> None:
        """Refuse further nodes."""
        self._is_over = True

    def _flush(self, txn: Transaction) -> None:
        self._env.append_nodes(txn, self._batch)
        self._batch, self._bytes = [], 0


# -- the writer

Changes = Mapping[str, list[Change]]

_ALL = 1 << 62


class BlockWriter:
    """Writes blocks, starts checkpoints when due, and tracks orphans.

    `orphans` are serials of nodes that the next checkpoint no longer has. While a checkpoint is in progress
    its nodes are assigned serials, so nodes replaced meanwhile (`late`) are held as objects, and their
    serials are read at the end. Nodes without a serial were never on disk.
    """

    def __init__(self, env: Environment, options: DiskOptions, timeline: Timeline, next_serial: int) -> None:
        self._env = env
        self._options = options
        self._timeline = timeline
        self._next_serial = next_serial
        self._checkpoint: Checkpoint | None = None
        self._import: NodeImport | None = None
        self._orphans: list[int] = []
        self._late: list[Node] = []
        self._blocks = self._writes = 0
        self.nodes_written = 0
        """Number of nodes written by checkpoints since the store was opened."""

    def count(self, changes: Changes, orphans: Iterable[Node]) -> None:
        """Count a block towards the next checkpoint, and record the nodes that it replaced."""
        self._blocks += 1
        self._writes += sum(map(len, changes.values()))
        if self._checkpoint is None:
            self._orphans += (node.serial for node in orphans if node.serial)
        else:
            self._late += orphans

    def write(self, info: CommitInfo, changes: Changes, roots: Roots) -> bool:
        """Write a counted block; return True if a checkpoint was finished with it.

        Raises:
            StorageFailed, StoreClosed: nothing was stored.
        """
        self._drop_import()
        options, timeline = self._options, self._timeline
        budget = max(options.slice_nodes, options.nodes_per_write * sum(map(len, changes.values())))
        with self._env.writing() as txn:
            self._log(txn, info, changes)
            checkpoint = self._checkpoint
            if checkpoint is None and self._due():
                checkpoint = self._start(info.version, roots)
            finished = checkpoint is not None and self._advance(txn, checkpoint, budget)
            base = timeline.base()
            if base:
                timeline.delete_old(txn, base)
                delete_orphans(self._env, txn, base, budget)
        return finished

    def importing(self, loader: Loader) -> NodeImport:
        """Return a sink for the nodes of a version for `restore`; an earlier unfinished one is aborted.

        Raises:
            StorageFailed, StoreClosed: the disk failed, or the store is closed.
        """
        self._drop_import()
        self._import = NodeImport(self._env, loader, self._next_serial)
        return self._import

    def _drop_import(self) -> None:
        if self._import is not None:
            self._import.give_up()
            self._import = None
            delete_unfinished(self._env, self._next_serial)

    def restore(self, info: CommitInfo, roots: Roots) -> None:
        """Make the imported nodes the only version, with its checkpoint; delete everything else.

        Serials continue: a hollow node of the deleted state never reads another node's record.

        Raises:
            StorageFailed, StoreClosed: nothing was stored or deleted.
        """
        imported, self._import = self._import, None
        if imported is None:
            raise StoreClosed(self._env.path)
        with self._env.writing() as txn:
            self._timeline.clear(txn)
            imported.finish(txn)
            nothing: Changes = {name: [] for name in info.roots}
            self._log(txn, info, nothing)
            self._next_serial = imported.next_serial
            self._advance(txn, self._start(info.version, roots))

    def _log(self, txn: Transaction, info: CommitInfo, changes: Changes) -> None:
        record = encode_block(info, changes)
        txn.put(version_key(info.version), record, db=self._env.log)
        txn.put(HEAD, encode_head(info.version, record), db=self._env.meta)
        self._env.probe("logged")
        self._timeline.logged(info.version)

    def write_checkpoint(self, version: int, roots: Roots) -> None:
        """Finish the checkpoint in progress, and write one of `version`, the last block.

        Raises:
            StorageFailed, StoreClosed: nothing was stored.
        """
        with self._env.writing() as txn:
            if self._checkpoint is not None:
                self._advance(txn, self._checkpoint)
            if self._timeline.point_before(version) < version:
                self._advance(txn, self._start(version, roots))

    def _start(self, version: int, roots: Roots) -> Checkpoint:
        self._checkpoint = Checkpoint(self._env, version, dict(roots), self._next_serial)
        self._blocks = self._writes = 0
        return self._checkpoint

    def _due(self) -> bool:
        options = self._options
        return self._blocks >= options.checkpoint_blocks or self._writes >= options.checkpoint_writes

    def _advance(self, txn: Transaction, checkpoint: Checkpoint, budget: int = _ALL) -> bool:
        finished = checkpoint.write_slice(txn, budget)
        if finished:
            self._finish(txn, checkpoint)
        return finished

    def _finish(self, txn: Transaction, checkpoint: Checkpoint) -> None:
        list_orphans(self._env, txn, checkpoint.version, self._orphans)
        self._orphans = [node.serial for node in self._late if node.serial]
        self._late = []
        self._next_serial = checkpoint.next_serial
        self._timeline.points.append(checkpoint.version)
        self.nodes_written += checkpoint.written
        self._checkpoint = None
