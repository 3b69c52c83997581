"""What `pyibc export` brings of a chain's blocks into a folder, from nodes that do not always answer well."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from conformance.simulation.network import Weather
from conformance.simulation.nodes import Node
from conformance.simulation.rpc import CONFIG, Wire
from ibc_indexer.blocks import Block, from_committed
from ibc_indexer.coverage import Heights
from ibc_indexer.export import BlockExporter
from ibc_indexer.lines import content_digest
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.rpc_calls import Rpc
from ibc_relayer.rpc_client import HttpRpc
from pyibc.cli.backfill import Backfill

_T = TypeVar("_T")


class AtOnce(Executor):
    """Makes each call when it is asked for: in threads, calls would meet faults in any order."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """The result of a call, or what it raised."""
        future: Future[_T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again where the result is asked for
            future.set_exception(error)
        return future


class Fetcher:
    """Runs of `pyibc export` into one folder: two addresses of a chain's node, and one of another chain's."""

    def __init__(self, folder: Path, node: Node, stranger: Node, meanwhile: Callable[[Random], None]) -> None:
        """Begins the folder: an empty one is of the first chain that answers.

        `meanwhile` is what others do while a call is under way.
        """
        self.folder = folder
        self._node = node
        self._wires = {
            f"http://{name}:26657": (each, Weather(meanwhile, lies=False))
            for name, each in (("one", node), ("two", node), ("stranger", stranger))
        }
        self._fetch()

    def run(self, choice: Random) -> None:
        """One run, in which answers may get lost, come from behind, or be damaged.

        Raises:
            IbcError: another one than `pyibc export` tells of nodes: it contradicts the folder.
        """
        for node, weather in self._wires.values():
            weather.choice = Random(choice.getrandbits(32))  # noqa: S311 - a schedule, not a secret
            weather.loss, weather.busy = choice.choice([0, 0, 3, 20]), choice.choice([0, 0, 5])
            weather.lag[node.terms.chain_id] = 1, choice.choice([0, 0, 3])
            weather.damage = {node.terms.chain_id: 1} if choice.random() < 0.5 else {}
        try:
            self._fetch()
        except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
            return  # somebody runs it again

    def lacking(self) -> Iterator[str]:
        """Where a last run without faults leaves another export than the chain's blocks, but deleted ones."""
        for _, weather in self._wires.values():
            weather.calm()
        self._fetch()
        chain_id, chain = self._node.terms.chain_id, self._node.chain
        with BlockExporter(self.folder) as export:
            lacks = export.heights.lacking(chain.earliest, chain.height)
            if lacks.ranges:
                yield f"{chain_id}: of blocks {chain.earliest} to {chain.height} {lacks} were not fetched"
            for height in export.heights:
                if not _is_same(export.block_at(height), from_committed(self._node.heard[height].block)):
                    yield f"{chain_id}: block {height} is another in what was fetched"

    def _fetch(self) -> Heights:
        with (
            BlockExporter(self.folder) as exporter,
            closing(Backfill(self._wires, exporter, self._connect, workers=1, pool=AtOnce())) as backfill,
        ):
            return backfill.run(None, None, threading.Event()).written

    def _connect(self, url: str) -> Rpc:
        node, weather = self._wires[url]
        wire = Wire(node, weather)
        return HttpRpc(url, CONFIG._replace(sleep=wire.waits), wire)


def _is_same(found: Block | None, true: Block) -> bool:
    return found is not None and _content(found) == _content(true)


def _content(block: Block) -> tuple[int | None, bytes, str]:
    return block.time_ns, block.app_hash, content_digest(block)
