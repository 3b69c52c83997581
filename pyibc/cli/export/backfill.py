"""Backfill of missing blocks from nodes into a folder of block lines, once or continuously."""

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor
from contextlib import closing
from typing import NamedTuple

from pyibc.core.errors import IbcError
from pyibc.indexer.blocks.block import Block, from_committed
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.blocks.lines import content_digest, incarnation_of
from pyibc.relayer.blocks.nodes import WORKERS, BlockNodes, Connect, by_http
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.blocks import FetchedBlock, RpcBlocks

POLL_S = 1.0  # between two polls of the nodes
LONGEST_S = 30.0  # between two attempts at nodes that do not respond

Tell = Callable[[str], None]
Found = Generator[FetchedBlock | EndpointRefused, None, None]
Source = Callable[[BlockNodes, Heights, threading.Event], Found]
"""Function that fetches the blocks of some heights in order, or a refusal for each block that no node has.

It ends early once the stop event is set. It raises as `BlockNodes.fetch`, and errors of its own.
"""


def by_threads(nodes: BlockNodes, heights: Heights, _stop: threading.Event) -> Found:
    """Fetch in this process."""
    return nodes.fetch(heights)


class Done(NamedTuple):
    """Result of a run."""

    written: Heights
    pruned: Heights  # missing, and pruned by all nodes


class Backfill:
    """Fetches the blocks that an exporter's folder lacks.

    A node must follow the folder's chain: its chain id, its first block if available, and the last common
    block are compared before anything is written; then each header must refer to the one before it.
    """

    def __init__(
        self,
        urls: Iterable[str],
        exporter: BlockExporter,
        connect: Connect = by_http,
        *,
        chain_id: str = "",
        tell: Tell = lambda _: None,
        tell_of_nodes: Tell = lambda _: None,
        workers: int = WORKERS,
        pool: Executor | None = None,
    ) -> None:
        """Store the settings; no connection is opened yet.

        Args:
            urls: RPCs of the nodes.
            exporter: Exporter of the folder.
            connect: Creates a client for a URL.
            chain_id: Expected chain id; "" for that of the folder, or of the first node if the folder is
            empty.
            tell: Reports ranges that no node has.
            tell_of_nodes: Reports unusable nodes.
            workers: Number of concurrent calls.
            pool: Runs the calls; None for a thread pool.
        """
        self._exporter = exporter
        self._wanted = chain_id
        self._tell = tell
        self._pruned = Heights()
        self._link: tuple[int, str] | None = None  # the last block fetched: height and hash
        self._nodes = BlockNodes(
            list(dict.fromkeys(urls)),
            connect,
            accept=self._differs,
            report=tell_of_nodes,
            workers=workers,
            pool=pool,
        )

    @property
    def chain_id(self) -> str:
        """Chain id of the chain; "" before the first run."""
        return self._nodes.chain_id or self._exporter.chain_id

    def run(
        self, first: int | None, last: int | None, stop: threading.Event, source: Source = by_threads
    ) -> Done:
        """Fetch the missing blocks in `first`..`last`, until `stop` is set.

        Args:
            first: None for the folder's first block, or the oldest available one if the folder is empty.
            last: None for the chain's last block.
            stop: Checked before every block.
            source: Fetches the missing blocks.

        Raises:
            EndpointUnavailable, MalformedAnswer: no node responds usably; blocks before are written.
            EndpointRefused: `last`, or `first` without it, is a block that does not exist yet.
            ExportConflict: a block contradicts the folder, or another process writes to it.
            OSError: the disk failed.
            IbcError: the source failed.
        """
        self._nodes.refresh()
        kept = self._nodes.available
        tip = max(each.stop for each in kept) - 1
        held = self._exporter.heights
        start = first or held.first or min(each.start for each in kept)
        lacks = held.lacking(start, min(last or tip, tip))
        there = Heights.spanning((each.start, each.stop - 1) for each in kept)
        done = self._write(lacks - (lacks - there), stop, source)
        pruned = (lacks - there) | done.pruned
        self._tell_pruned(pruned)
        if max(first or 0, last or 0) > tip and not stop.is_set():
            self._nodes.require(last or start)  # raises that it does not exist yet
        return Done(done.written, pruned)

    def follow(self, first: int | None, stop: threading.Event, source: Source = by_threads) -> Heights:
        """Run repeatedly until `stop` is set; wait for nodes that do not respond.

        `source` fetches the blocks that are missing now, this process later ones. Returns the written
        heights. Raises as `run`, except when no node responds.
        """
        written, wait, told = Heights(), POLL_S, ""
        while not stop.is_set():
            try:
                written |= self.run(first, None, stop, source).written
                source = by_threads
                wait = POLL_S
                told = ""
            except (EndpointUnavailable, MalformedAnswer) as error:
                if str(error) != told:
                    self._tell(f"waiting: {error}")
                told, wait = str(error), min(2 * wait, LONGEST_S)
            stop.wait(wait)
        return written

    def close(self) -> None:
        """Close the connections."""
        self._nodes.close()

    def _write(self, heights: Heights, stop: threading.Event, source: Source) -> Done:
        written, refused = Heights(), Heights()
        with closing(source(self._nodes, heights, stop)) as fetched:
            for height, found in zip(heights, fetched, strict=False):
                if stop.is_set():
                    break
                if isinstance(found, EndpointRefused):
                    self._check_pruned(height, found)
                    refused = refused.adding(height)
                else:
                    # guard: h94-headers-need-not-follow-each-other drop
                    #   test_h94_headers_that_do_not_follow_each_other_are_refused
                    self._check_link(height, found)
                    self._exporter.write(found.block)
                    self._link = (height, found.hash)
                    written = written.adding(height)
        return Done(written, refused)

    def _check_pruned(self, height: int, refusal: EndpointRefused) -> None:
        """Raise MalformedAnswer if a node still claims to have a block, which may be pruned meanwhile."""
        self._nodes.refresh()
        if any(height in kept for kept in self._nodes.available):
            raise MalformedAnswer(refusal.chain_id, f"block {height}", f"claimed, but {refusal.reason}")

    def _check_link(self, height: int, found: FetchedBlock) -> None:
        before = self._link
        if before is not None and before[0] == height - 1 and before[1] != found.parent:
            reason = f"its header refers to {found.parent}, but block {height - 1} is {before[1]}"
            raise MalformedAnswer(self.chain_id, f"block {height}", reason)

    def _tell_pruned(self, pruned: Heights) -> None:
        if pruned != self._pruned and pruned.ranges:
            self._tell(f"{self.chain_id}: no node has {pruned}")
        self._pruned = pruned

    def _differs(self, blocks: RpcBlocks, kept: range) -> str:
        """Return the reason why a node's chain is not the folder's; "" if they agree."""
        if self._wanted not in {"", blocks.chain_id}:
            return f"its chain is {blocks.chain_id}, expected {self._wanted}"
        if self._exporter.chain_id not in {"", blocks.chain_id}:
            return f"its chain is {blocks.chain_id}, but the folder is of {self._exporter.chain_id}"
        try:
            self._identify(blocks, kept)
        except IbcError as error:
            if isinstance(error, EndpointUnavailable | EndpointRefused | MalformedAnswer):
                raise
            return str(error)
        both = self._exporter.heights
        common = both - (both - Heights.spanning([(kept.start, kept.stop - 1)]))
        # guard: h94-a-folder-s-block-is-not-compared test_h94_a_chain_started_anew_is_refused_by_the_folder
        if common.ranges and not self._holds(blocks.fetch(common.last)):
            return f"its block {common.last} differs from the folder's"
        return ""

    def _identify(self, blocks: RpcBlocks, kept: range) -> None:
        if kept:
            first = blocks.fetch(kept.start)
            if not first.parent:
                self._exporter.identify(incarnation_of(from_committed(first.block)))

    def _holds(self, found: FetchedBlock) -> bool:
        block, held = from_committed(found.block), self._exporter.block_at(found.block.height)
        return held is not None and _content(block) == _content(held)


def _content(block: Block) -> tuple[int | None, bytes, str]:
    return block.time_ns, block.app_hash, content_digest(block)
