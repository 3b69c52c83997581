"""Nodes of a version that is being restored, on their way to the disk.

They are written as they come, some with each transaction, like a checkpoint's that has no point yet: until
the last transaction names them nothing counts, and what an unfinished restore left is deleted on opening.
"""

from iavl import engine
from iavl.disk.environment import Environment, Transaction
from iavl.disk.nodes import serial_key
from iavl.errors import BadExport, CorruptDatabase
from iavl.node import Loader, Node

_BATCH_NODES = 10_000
_BATCH_BYTES = 8 << 20


class NodeImport:
    """Takes the nodes of one version (`iavl.restore.NodeSink`).

    Args:
        env: Where they go.
        loader: Frees what was written.
        first: The first serial that no node has.
    """

    def __init__(self, env: Environment, loader: Loader, first: int) -> None:
        self.next_serial = first
        """The serial of the next node."""
        self._env = env
        self._loader = loader
        self._first = first
        self._batch: list[tuple[bytes, bytes]] = []
        self._bytes = 0
        self._is_over = False

    def add(self, node: Node) -> None:
        """Gives the node a serial, and frees what is below it.

        Raises:
            BadExport: this restore was given up.
            StorageError: the disk refused.
        """
        # guard: h105-an-import-that-was-given-up-goes-on drop
        #   test_h105_a_restore_that_was_given_up_leaves_nothing_and_takes_nothing
        if self._is_over:
            raise BadExport("this restore was given up")
        node.serial = self.next_serial
        self.next_serial += 1
        record = engine.now.node_record(node)
        self._batch.append((serial_key(node.serial), record))
        self._bytes += len(record)
        self._loader.empty(node)
        if len(self._batch) >= _BATCH_NODES or self._bytes >= _BATCH_BYTES:
            with self._env.writing() as txn:
                self._flush(txn)
                self._env.probe("imported")

    def finish(self, txn: Transaction) -> None:
        """Writes the rest, and deletes all nodes from before."""
        self._flush(txn)
        with txn.cursor(db=self._env.nodes) as cursor:
            while cursor.first() and cursor.key() < serial_key(self._first):
                cursor.delete()
        self.give_up()

    def give_up(self) -> None:
        """No more nodes are taken."""
        self._is_over = True

    def _flush(self, txn: Transaction) -> None:
        with txn.cursor(db=self._env.nodes) as cursor:
            _, added = cursor.putmulti(self._batch, append=True)
        if added != len(self._batch):
            raise CorruptDatabase(self._env.path, "a serial is used twice")
        self._batch, self._bytes = [], 0
