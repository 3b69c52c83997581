"""Brings blocks of nodes into a folder of block lines: what lacks there, once or for as long as it runs."""

import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor
from contextlib import closing
from typing import NamedTuple

from ibc_core.errors import IbcError
from ibc_indexer.blocks import Block, from_committed
from ibc_indexer.coverage import Heights
from ibc_indexer.export import BlockExporter
from ibc_indexer.lines import content_digest, incarnation_of
from ibc_relayer.block_nodes import WORKERS, BlockNodes, Connect, by_http
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.rpc_blocks import Fetched, RpcBlocks

POLL_S = 1.0  # between two looks at the nodes
LONGEST_S = 30.0  # between two attempts at nodes that do not answer

Tell = Callable[[str], None]
Found = Generator[Fetched | EndpointRefused, None, None]
Source = Callable[[BlockNodes, Heights, threading.Event], Found]
"""Who fetches: gives the blocks of some heights in order, of the nodes that serve; the refusal, where no node
has the block. Ends early once it is told to stop. Raises as `BlockNodes.fetch`, and errors of its own."""


def by_threads(nodes: BlockNodes, heights: Heights, _stop: threading.Event) -> Found:
    """This process fetches."""
    return nodes.fetch(heights)


class Done(NamedTuple):
    """What a run did."""

    written: Heights
    pruned: Heights  # lack, and no node keeps them


class Backfill:
    """Fetches what lacks in an exporter's folder.

    A node must be of the folder's chain: its id, its first block where it keeps that, and the block that both
    have are compared before anything is written; then each header must name the one before it.
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
        """Connects to nothing yet.

        Args:
            urls: of the nodes.
            exporter: of the folder.
            connect: a client of a URL.
            chain_id: of the chain that is wanted; "": the folder's, of an empty one the first node's.
            tell: hears of ranges that no node has.
            tell_of_nodes: hears of nodes that cannot be had.
            workers: how many calls are under way at once.
            pool: makes them; None: so many threads.
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
            tell=tell_of_nodes,
            workers=workers,
            pool=pool,
        )

    @property
    def chain_id(self) -> str:
        """The chain's id; "" before the first run."""
        return self._nodes.chain_id or self._exporter.chain_id

    def run(
        self, first: int | None, last: int | None, stop: threading.Event, source: Source = by_threads
    ) -> Done:
        """Fetches what lacks in `first`..`last`, until `stop` is set.

        Args:
            first: None: the folder's first block; of an empty folder the oldest that a node keeps.
            last: None: the chain's last block.
            stop: looked at before every block.
            source: who fetches what lacks.

        Raises:
            EndpointUnavailable, MalformedAnswer: no node gives a usable answer; what came before is written.
            EndpointRefused: `last`, or `first` without it, is a block that is not there yet.
            ExportConflict: a block contradicts the folder, or somebody else writes to it.
            OSError: the disk says no.
            IbcError: another one, of the source.
        """
        self._nodes.refresh()
        kept = self._nodes.kept
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
        """Runs again and again until `stop` is set; nodes that do not answer are waited for.

        `source` fetches what lacks now, this process what comes then. Returns what was written. Raises as
        `run`, but not that no node answers.
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
        """Closes the connections."""
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
        """A block may be pruned in the meantime; a node that still claims to keep it contradicts itself."""
        self._nodes.refresh()
        if any(height in kept for kept in self._nodes.kept):
            raise MalformedAnswer(refusal.chain_id, f"block {height}", f"said to be kept: {refusal.reason}")

    def _check_link(self, height: int, found: Fetched) -> None:
        before = self._link
        if before is not None and before[0] == height - 1 and before[1] != found.parent:
            reason = f"its header names {found.parent} before it, block {height - 1} is {before[1]}"
            raise MalformedAnswer(self.chain_id, f"block {height}", reason)

    def _tell_pruned(self, pruned: Heights) -> None:
        if pruned != self._pruned and pruned.ranges:
            self._tell(f"{self.chain_id}: no node keeps {pruned}")
        self._pruned = pruned

    def _differs(self, blocks: RpcBlocks, kept: range) -> str:
        """Why a node's chain is not the folder's; "" if nothing speaks against it."""
        if self._wanted not in {"", blocks.chain_id}:
            return f"it is of {blocks.chain_id}, wanted is {self._wanted}"
        if self._exporter.chain_id not in {"", blocks.chain_id}:
            return f"it is of {blocks.chain_id}, the folder holds {self._exporter.chain_id}"
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
            return f"the folder has another block {common.last}"
        return ""

    def _identify(self, blocks: RpcBlocks, kept: range) -> None:
        if kept:
            first = blocks.fetch(kept.start)
            if not first.parent:
                self._exporter.identify(incarnation_of(from_committed(first.block)))

    def _holds(self, found: Fetched) -> bool:
        block, held = from_committed(found.block), self._exporter.block_at(found.block.height)
        return held is not None and _content(block) == _content(held)


def _content(block: Block) -> tuple[int | None, bytes, str]:
    return block.time_ns, block.app_hash, content_digest(block)
