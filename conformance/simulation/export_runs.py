"""Runs of `pyibc export` over a chain's RPC with faults, and the check of their output."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from conformance.simulation.network import CallFaults
from conformance.simulation.nodes import Node
from conformance.simulation.rpc import CONFIG, Wire
from pyibc.cli.export.backfill import Backfill
from pyibc.indexer.blocks.block import Block, from_committed
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.blocks.lines import content_digest
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.client import HttpRpc

_T = TypeVar("_T")


class ImmediateExecutor(Executor):
    """Executor that runs each call at once: in threads the order of the faults would be random."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Return a future with the result of a call, or its exception."""
        future: Future[_T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again where the result is asked for
            future.set_exception(error)
        return future


class ExportRuns:
    """Runs of `pyibc export` into one folder, from two addresses of a node and one of another chain."""

    def __init__(self, folder: Path, node: Node, stranger: Node, meanwhile: Callable[[Random], None]) -> None:
        """Create the folder by a first run: the folder belongs to the first chain that answers.

        `meanwhile` is called during a call, to let other processes act.
        """
        self.folder = folder
        self._node = node
        self._wires = {
            f"http://{name}:26657": (each, CallFaults(meanwhile, lies=False))
            for name, each in (("one", node), ("two", node), ("stranger", stranger))
        }
        self._fetch()

    def run(self, choice: Random) -> None:
        """Run once, with lost, delayed or corrupted responses.

        Raises:
            IbcError: an error other than those that `pyibc export` reports of nodes: the folder's
                content contradicts the chain's.
        """
        for node, call_faults in self._wires.values():
            call_faults.choice = Random(choice.getrandbits(32))  # noqa: S311 - a schedule, not a secret
            call_faults.loss, call_faults.busy = choice.choice([0, 0, 3, 20]), choice.choice([0, 0, 5])
            call_faults.lag[node.identity.chain_id] = 1, choice.choice([0, 0, 3])
            call_faults.damage = {node.identity.chain_id: 1} if choice.random() < 0.5 else {}
        try:
            self._fetch()
        except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
            return  # a later run continues

    def differences(self) -> Iterator[str]:
        """Yield the differences between the export and the chain's blocks after a last run without faults."""
        for _, call_faults in self._wires.values():
            call_faults.clear()
        self._fetch()
        chain_id, chain = self._node.identity.chain_id, self._node.chain
        with BlockExporter(self.folder) as export:
            lacks = export.heights.lacking(chain.earliest, chain.height)
            if lacks.ranges:
                yield f"{chain_id}: of blocks {chain.earliest} to {chain.height} {lacks} were not fetched"
            for height in export.heights:
                if not _is_same(export.block_at(height), from_committed(self._node.observed[height].block)):
                    yield f"{chain_id}: block {height} differs in the export"

    def _fetch(self) -> Heights:
        with (
            BlockExporter(self.folder) as exporter,
            closing(
                Backfill(self._wires, exporter, self._connect, workers=1, pool=ImmediateExecutor())
            ) as backfill,
        ):
            return backfill.run(None, None, threading.Event()).written

    def _connect(self, url: str) -> Rpc:
        node, call_faults = self._wires[url]
        wire = Wire(node, call_faults)
        return HttpRpc(url, CONFIG._replace(sleep=wire.waits), wire)


def _is_same(found: Block | None, true: Block) -> bool:
    return found is not None and _content(found) == _content(true)


def _content(block: Block) -> tuple[int | None, bytes, str]:
    return block.time_ns, block.app_hash, content_digest(block)
