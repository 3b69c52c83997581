"""The transaction of a block, and the slices of checkpoints in it."""

from collections.abc import Iterable, Mapping

from iavl.commit_info import CommitInfo
from iavl.disk.blocks import HEAD, encode_block, encode_head, version_key
from iavl.disk.checkpoint import Checkpoint, Roots
from iavl.disk.environment import Environment, Transaction
from iavl.disk.importing import NodeImport
from iavl.disk.options import DiskOptions
from iavl.disk.orphans import delete_orphans, list_orphans
from iavl.disk.points import Timeline
from iavl.disk.recovery import delete_unfinished
from iavl.errors import StoreClosed
from iavl.node import Loader, Node
from iavl.write import Change

Changes = Mapping[str, list[Change]]

_ALL = 1 << 62


class BlockWriter:
    """Writes blocks, starts checkpoints when due, and tracks orphans.

    `orphans` are serials of nodes that the next checkpoint no longer has. While a checkpoint is under
    way its nodes get their serials, so nodes replaced meanwhile (`late`) are kept as objects, and their
    serials are read at the end. Nodes that never get one were never on disk.
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
        """Nodes that checkpoints have written since the store was opened."""

    def count(self, changes: Changes, orphans: Iterable[Node]) -> None:
        """Counts a block towards the next checkpoint, and takes the nodes that it replaced."""
        self._blocks += 1
        self._writes += sum(map(len, changes.values()))
        if self._checkpoint is None:
            self._orphans += (node.serial for node in orphans if node.serial)
        else:
            self._late += orphans

    def write(self, info: CommitInfo, changes: Changes, roots: Roots) -> bool:
        """Writes a block that was counted; True when a checkpoint was finished with it.

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
        """Takes the nodes of a version for `restore`; another one that was not finished is given up.

        Raises:
            StorageFailed, StoreClosed: the disk refused.
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
        """Makes the imported nodes the only version, with its checkpoint; removes all else.

        Serials go on: a node of what is removed, wherever it is held, never reads another's record.

        Raises:
            StorageFailed, StoreClosed: nothing was stored, nothing removed.
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
        """Finishes the checkpoint under way, and writes one of `version`, the last block.

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
