"""Fixes of faults that the simulator must be able to find, each of which can be disabled."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import lmdb

from conformance.simulation.run import Outcome, prepare, run
from iavl import engine
from iavl.disk import nodes
from iavl.nodes import write
from iavl.nodes.node import Node
from iavl.restore import Importer
from light_client.tendermint import client
from localnet import chain
from localnet.chain import LocalChain
from localnet.storage import recovery
from pyibc.apps.transfer import coins
from pyibc.apps.transfer.denom import Denom, Hop, make_denom
from pyibc.chain.comet.settings import Retention
from pyibc.indexer.blocks import plugin
from pyibc.indexer.blocks.export import SegmentFile
from pyibc.indexer.blocks.lines import LineHead
from pyibc.isolation.call_state import CallState
from pyibc.relayer.blocks import reader
from pyibc.relayer.clients.tendermint import TendermintDriver
from pyibc.relayer.errors import BlockMismatch
from pyibc.relayer.links import journal
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.paths import audit as review
from pyibc.relayer.paths import candidates
from pyibc.relayer.paths import discovery as find_path
from pyibc.relayer.paths.candidates import Candidate
from pyibc.relayer.queue.datagram import DatagramBuilder


def _nothing(*_: object, **__: object) -> None:
    return None


def _unflushed(path: str, **options: Any) -> Any:
    return _lmdb_open(path, **{**options, "sync": False})


def _torn(self: SegmentFile, line: bytes, head: LineHead, **_: bool) -> None:
    """Replace `SegmentFile.append`: leave the part of a line that fit on a full disk."""
    written = os.write(self._file, line)
    while written < len(line):
        written += os.write(self._file, line[written:])
    self.size += len(line)
    self._take(head)


def _last_alone(height: int, retention: Retention, _: int) -> int:
    return 0 if retention.keep_blocks is None else height


def _one_hop(denom: Denom, port_id: str, channel_id: str) -> Denom:
    return make_denom(denom.base, (Hop(port_id, channel_id),))


def _never_left(*_: object) -> None:
    """Replace `BlockReader._restart`: continue only at the last read height."""
    raise BlockMismatch("a chain", "a block", "is not the next one")


@contextmanager
def _unnamed(self: Ledger, _: str) -> Iterator[None]:
    """Replace `Ledger._writing`: raise SQLite's own exceptions."""
    with self._lock, self._db:
        self._db.execute("BEGIN IMMEDIATE")
        yield


def _unchecked_leaf(_: nodes.NodeLoader, node: Node, record: bytes) -> None:
    node.key, node.value = nodes.split_leaf(record)


class _AnyHash(bytes):
    """Bytes that equal all others."""

    __hash__ = bytes.__hash__

    def __eq__(self, _: object) -> bool:
        return True

    def __ne__(self, _: object) -> bool:
        return False


@contextmanager
def _newest(name: str = "", instead: object = None) -> Iterator[None]:
    """Choose the newest of several usable paths; without a check of the audit, if `name` is given."""

    def chosen(fitting: Sequence[Candidate[Any]], _: str) -> Candidate[Any]:
        return max(fitting, key=lambda each: int(each.name.rpartition("-")[2]))

    with ExitStack() as stack:
        stack.enter_context(patch.object(find_path, "only_one", chosen))
        if name:
            stack.enter_context(patch.object(review, name, instead))
        yield


@contextmanager
def _without_record_checks() -> Iterator[None]:
    """Do not verify node records, in the Python tree, since the native one cannot be patched."""
    with (
        patch.object(engine, "active", engine.PYTHON),
        patch.object(nodes.NodeLoader, "_fill_leaf", _unchecked_leaf),
    ):
        yield


def _backwards(root: Node | None, changes: Iterable[write.Change], orphans: list[Node]) -> Node | None:
    """Replace `write.apply_changes`: return a tree with the same entries and another shape."""
    return write.apply_changes(root, reversed(list(changes)), orphans)


_lmdb_open = lmdb.open

FIXES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    # events of blocks are verified against state
    "reconcile": lambda: patch("pyibc.relayer.links.reconcile._Direction.apply", _nothing),
    # lost parts of an export are written again
    "backfill": lambda: patch.object(plugin.ExportPlugin, "_fill", _nothing),
    # a block saved before a kill is executed when the chain is opened
    "execute-again": lambda: patch.object(recovery, "_execute_again", _nothing),
    # a block is on disk before it is announced
    "flush": lambda: patch.object(lmdb, "open", _unflushed),
    # a signed block is on disk, and completed after a power cut
    "finish-signed": lambda: patch.object(LocalChain, "_finish_signed", _nothing),
    # enough blocks are retained to execute those that the state lost
    "keep-blocks": lambda: patch.object(chain, "keep_from", _last_alone),
    # a line is exported completely or not at all
    "whole-lines": lambda: patch.object(SegmentFile, "append", _torn),
    # tables of another version are discarded
    "old-journal": lambda: patch.object(journal.Journal, "_prepare", _nothing),
    # packets of a queue are timed out
    "queue-timeouts": lambda: patch.object(DatagramBuilder, "_late", lambda *_: 0),
    # a voucher forwarded to a third chain keeps its trace
    "hops": lambda: patch.object(coins, "voucher", _one_hop),
    # a client older than all blocks of a node can still be updated
    "old-headers": lambda: patch.object(TendermintDriver, "trusts", lambda *_: False),
    # a balance corrupted on disk is not spent
    "check-records": _without_record_checks,
    # a storage failure within a message halts the node instead of failing the transaction
    "stop-at-faults": lambda: patch.object(CallState, "stops", lambda _, error: error),
    # snapshot nodes must match the app hash
    "check-chunks": lambda: patch.object(Importer, "_expected", lambda _: _AnyHash(b"?")),
    # the existence of a packet is verified by proof
    "proofs": lambda: patch.object(client, "verify_membership", _nothing),
    # a relayer restarts from the chain if the last block it read was false
    "leave-lies": lambda: patch.object(reader.BlockReader, "_restart", _never_left),
    # a transaction is in the ledger before it is submitted, so its fee is always known
    "ledger-first": lambda: patch.object(Ledger, "sent", _nothing),
    # a full disk of the ledger raises a relayer's error, and the relayer waits
    "full-ledger": lambda: patch.object(Ledger, "_writing", _unnamed),
    # of several usable paths none is chosen, since anyone can create a newer one
    "only-one": _newest,
    # no relaying over clients that accept very old validators or headers of the future
    "terms": lambda: _newest("unaccepted", lambda *_: ()),
    # or over clients whose first header is of no block
    "past": lambda: _newest("_history_differences", lambda _: []),
    # state proved by one chain is not overruled by a query of the other chain's node
    "far-ends": lambda: patch.object(candidates, "_require_far", _nothing),
    # every tree implementation has the nodes of the Python tree
    "same-nodes": lambda: patch.object(engine, "active", replace(engine.PYTHON, apply_changes=_backwards)),
}
"""Name of a fix -> context manager that disables it during the run of a seed."""


def run_without(name: str | None, seed: int, only: Sequence[int] | None = None) -> Outcome:
    """Run a seed with a fix disabled; None disables none."""
    prepare(seed)
    with FIXES[name]() if name else nullcontext():
        return run(seed, only)
