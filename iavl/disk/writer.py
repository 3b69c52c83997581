"""The transaction of a block, and the checkpoints that ride on it."""

from collections.abc import Iterable, Mapping

from iavl.commit_info import CommitInfo
from iavl.disk.blocks import encode_block, version_key
from iavl.disk.checkpoint import Checkpoint, Roots
from iavl.disk.environment import Environment, Transaction
from iavl.disk.options import DiskOptions
from iavl.disk.orphans import delete_orphans, list_orphans
from iavl.disk.points import Timeline
from iavl.node import Node
from iavl.write import Change

Changes = Mapping[str, list[Change]]


class BlockWriter:
    """Writes blocks, starts checkpoints when due, and keeps account of orphans.

    `orphans` are serials of nodes that the next checkpoint no longer has. While a checkpoint is under
    way its nodes get their serials, so what dies meanwhile (`late`) is kept as objects and asked for
    their serials at the end. Nodes that never get one were never on disk.
    """

    def __init__(self, env: Environment, options: DiskOptions, timeline: Timeline, next_serial: int) -> None:
        self._env = env
        self._options = options
        self._timeline = timeline
        self._next_serial = next_serial
        self._checkpoint: Checkpoint | None = None
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
        options, timeline = self._options, self._timeline
        budget = max(options.slice_nodes, options.nodes_per_write * sum(map(len, changes.values())))
        with self._env.writing() as txn:
            txn.put(version_key(info.version), encode_block(info, changes), db=self._env.log)
            self._env.probe("logged")
            timeline.logged(info.version)
            finished = self._advance(txn, info.version, roots, budget)
            base = timeline.base()
            if base:
                timeline.delete_old(txn, base)
                delete_orphans(self._env, txn, base, budget)
        return finished

    def _advance(self, txn: Transaction, version: int, roots: Roots, budget: int) -> bool:
        if self._checkpoint is None:
            due = self._blocks >= self._options.checkpoint_blocks
            if not due and self._writes < self._options.checkpoint_writes:
                return False
            self._checkpoint = Checkpoint(self._env, version, dict(roots), self._next_serial)
            self._blocks = self._writes = 0
        checkpoint = self._checkpoint
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
