"""Mends of faults that the simulator is for, to be taken back: some seed must show it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import lmdb

from conformance.simulation.run import Outcome, prepare, run
from iavl import engine, write
from iavl.disk import nodes
from iavl.node import Node
from iavl.restore import Importer
from ibc_core.host.machine import Crossing
from ibc_core.transfer.denom import Denom, Hop, make_denom
from ibc_indexer import plugin
from ibc_indexer.lines import LineHead
from ibc_indexer.segment_file import SegmentFile
from ibc_module.apps.transfer import coins
from ibc_relayer import candidates, find_path, journal, reader, review
from ibc_relayer.backlog import Backlog
from ibc_relayer.candidates import Candidate
from ibc_relayer.checked_blocks import Cursor
from ibc_relayer.delay import DelayedSubmitter
from ibc_relayer.errors import BlockMismatch
from ibc_relayer.ledger import Ledger
from ibc_relayer.queue.datagram import DatagramBuilder
from ibc_relayer.tendermint import TendermintDriver
from light_client.tendermint import client
from localnet import chain, recovery
from localnet.chain import LocalChain
from localnet.retention import Retention


def _nothing(*_: object, **__: object) -> None:
    return None


def _unflushed(path: str, **options: Any) -> Any:
    return _lmdb_open(path, **{**options, "sync": False})


def _torn(self: SegmentFile, line: bytes, head: LineHead, **_: bool) -> None:
    """`SegmentFile.append` that leaves what a full disk took of a line."""
    written = os.write(self._file, line)
    while written < len(line):
        written += os.write(self._file, line[written:])
    self.size += len(line)
    self._take(head)


def _saved(self: journal.Journal, backlog: Backlog, cursors: tuple[Cursor, Cursor]) -> bool:
    """`Journal.save` that a full disk stops."""
    with self._db:
        self._db.execute("BEGIN IMMEDIATE")
        self._save(backlog, cursors)
    return True


def _last_alone(height: int, retention: Retention, _: int) -> int:
    return 0 if retention.keep_blocks is None else height


def _one_hop(denom: Denom, port_id: str, channel_id: str) -> Denom:
    return make_denom(denom.base, (Hop(port_id, channel_id),))


def _never_left(*_: object) -> None:
    """`BlockReader._restart` of a reader that reads on from where it was alone."""
    raise BlockMismatch("a chain", "a block", "is not the next one")


@contextmanager
def _unnamed(self: Ledger, _: str) -> Iterator[None]:
    """`Ledger._writing` that raises what SQLite raises."""
    with self._lock, self._db:
        self._db.execute("BEGIN IMMEDIATE")
        yield


def _unchecked_leaf(_: nodes.NodeLoader, node: Node, record: bytes) -> None:
    node.key, node.value = nodes.split_leaf(record)


class _AnyHash(bytes):
    """Equal to every other."""

    __hash__ = bytes.__hash__

    def __eq__(self, _: object) -> bool:
        return True

    def __ne__(self, _: object) -> bool:
        return False


@contextmanager
def _newest(name: str = "", instead: object = None) -> Iterator[None]:
    """Of several usable paths the newest; without a check of the review, if it has a name."""

    def chosen(fitting: Sequence[Candidate[Any]], _: str) -> Candidate[Any]:
        return max(fitting, key=lambda each: int(each.name.rpartition("-")[2]))

    with ExitStack() as stack:
        stack.enter_context(patch.object(find_path, "only_one", chosen))
        if name:
            stack.enter_context(patch.object(review, name, instead))
        yield


@contextmanager
def _without_record_checks() -> Iterator[None]:
    """Leaves are what the disk says, in Python's tree: pyibc-native's is not to be changed."""
    with (
        patch.object(engine, "now", engine.PYTHON),
        patch.object(nodes.NodeLoader, "_fill_leaf", _unchecked_leaf),
    ):
        yield


def _backwards(root: Node | None, changes: Iterable[write.Change], orphans: list[Node]) -> Node | None:
    """`write.apply_changes` of a tree that has the same entries, and another shape."""
    return write.apply_changes(root, reversed(list(changes)), orphans)


_lmdb_open = lmdb.open

MENDS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    # what blocks tell is held against state
    "reconcile": lambda: patch("ibc_relayer.reconcile._Direction.apply", _nothing),
    # what an export lost is written again
    "backfill": lambda: patch.object(plugin.ExportPlugin, "_fill", _nothing),
    # a block that was saved before the kill is executed when its chain is opened
    "execute-again": lambda: patch.object(recovery, "_execute_again", _nothing),
    # a block is on the disk before anybody hears of it
    "flush": lambda: patch.object(lmdb, "open", _unflushed),
    # what is signed is on the disk, and finished after a power cut
    "finish-signed": lambda: patch.object(LocalChain, "_finish_signed", _nothing),
    # enough blocks are kept to execute what the state lost
    "keep-blocks": lambda: patch.object(chain, "keep_from", _last_alone),
    # a line is exported as a whole, or not at all
    "whole-lines": lambda: patch.object(SegmentFile, "append", _torn),
    # a relayer goes on without its journal
    "unsaved-journal": lambda: patch.object(journal.Journal, "save", _saved),
    # tables of another version are thrown away
    "old-journal": lambda: patch.object(journal.Journal, "_prepare", _nothing),
    # packets of a queue are timed out
    "queue-timeouts": lambda: patch.object(DatagramBuilder, "_late", lambda *_: 0),
    # a voucher that goes on to a third chain keeps what it came over
    "hops": lambda: patch.object(coins, "voucher", _one_hop),
    # a client older than all blocks of a node can still be updated
    "old-headers": lambda: patch.object(TendermintDriver, "trusts", lambda *_: False),
    # a balance that the disk has made another is not spent
    "check-records": _without_record_checks,
    # what a store raises within a message stops the node: it fails no transaction, as nobody else's fails
    "stop-at-faults": lambda: patch.object(Crossing, "stops", lambda _, error: error),
    # a snapshot's nodes are those that the app hash stands for
    "check-chunks": lambda: patch.object(Importer, "_expected", lambda _: _AnyHash(b"?")),
    # who says that a packet was sent must prove it
    "proofs": lambda: patch.object(client, "verify_membership", _nothing),
    # packets over a connection with a delay wait for it
    "delay": lambda: patch.object(DelayedSubmitter, "_delayed_by", lambda *_: ""),
    # it goes on from the chain where what it read last was a lie
    "leave-lies": lambda: patch.object(reader.BlockReader, "_restart", _never_left),
    # what is sent is in the ledger first, so that each fee is known whatever happens then
    "ledger-first": lambda: patch.object(Ledger, "sent", _nothing),
    # of a ledger whose disk is full a relayer is told in its own words, and waits
    "full-ledger": lambda: patch.object(Ledger, "_writing", _unnamed),
    # of several usable paths none is taken: whoever likes makes the newest
    "only-one": _newest,
    # a client that believes validators of long ago, or headers of the future, is not relayed over
    "terms": lambda: _newest("unaccepted", lambda *_: ()),
    # nor is one that began with a header of no block
    "past": lambda: _newest("_past_differences", lambda _: []),
    # what one chain proved of the other is there, whatever the other's node says
    "far-ends": lambda: patch.object(candidates, "_require_far", _nothing),
    # whatever tree a chain has, its nodes are those of Python's
    "same-nodes": lambda: patch.object(engine, "now", replace(engine.PYTHON, apply_changes=_backwards)),
}
"""What is done so that a fault does no harm, by name: each can be taken back for as long as a seed runs."""


def run_without(name: str | None, seed: int, only: Sequence[int] | None = None) -> Outcome:
    """A seed without a mend; None: with all of them."""
    prepare(seed)
    with MENDS[name]() if name else nullcontext():
        return run(seed, only)
