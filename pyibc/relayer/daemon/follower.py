"""Follower of one chain: reads each new block once into the chain's feed, for all links of the chain."""

import logging
from contextlib import suppress
from threading import Event, Thread

from pyibc.relayer.blocks.checked import read_checked, require_parent
from pyibc.relayer.blocks.feed import BlockFeed
from pyibc.relayer.chain.endpoint import ChainEndpoint, HeightChanges
from pyibc.relayer.daemon.pausing import Stopping, stopping_at
from pyibc.relayer.errors import BlockMismatch, RelayerError

log = logging.getLogger("pyibc.relayer")

MAX_GAP = 32
"""Blocks behind the chain above which the feed starts again at the tip; links read the others themselves."""
MAX_LAG = 50
"""Blocks by which a node may lag behind the feed before the chain counts as reset."""
FIRST_S, LONGEST_S = 0.5, 5.0
"""First and longest pause after failures, in seconds; doubled after each failure."""


class Follower:
    """Thread that follows one chain."""

    def __init__(
        self, chain: ChainEndpoint, heights: HeightChanges, feed: BlockFeed, stop: Event | None = None
    ) -> None:
        """Do nothing before `start`.

        Args:
            chain: source of the blocks, which caches them for the links.
            heights: source of the heights.
            feed: gets heights, blocks and errors.
            stop: ends the thread once it is set.
        """
        self._chain, self._heights, self._feed = chain, heights, feed
        self._stop = stop or Event()
        self._failures = 0
        self._thread = Thread(target=self._run, name=f"relayer follows {chain.chain_id}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Ask the thread to stop, without waiting."""
        self._stop.set()

    def step(self) -> float:
        """Wait for the next height and read the blocks up to it; return the pause that is due, seconds."""
        try:
            height = self._heights.height_after(self._feed.height, relaxed=not self._feed.is_awaited)
            self._feed.reach(height)
            self._read_to(height)
        except Exception as error:  # noqa: BLE001 - told to the links, which report it
            return self._failed(error)
        self._failures = 0
        return 0.0

    def _read_to(self, height: int) -> None:
        last = self._feed.last
        at = height if last is None else last.cursor.height
        # guard: a-feed-reads-all-blocks-of-a-long-gap {MAX_GAP => 10**9}
        #   test_after_a_long_gap_the_feed_starts_again_at_the_tip
        if last is not None and (height > at + MAX_GAP or height < at - MAX_LAG):
            self._feed.clear()
            last, at = None, height
        first = at if last is None else at + 1
        for each in range(first, height + 1):
            block = read_checked(self._chain, each)
            before = self._feed.last
            if before is not None:
                # guard: blocks-of-two-histories-in-one-feed drop
                #   test_a_block_of_another_history_clears_the_feed
                require_parent(self._chain, block, before.cursor)
            self._feed.add(block)

    def _failed(self, error: Exception) -> float:
        if not isinstance(error, RelayerError):
            log.error("not followed", extra={"chain": self._chain.chain_id}, exc_info=error)
        if isinstance(error, BlockMismatch):
            self._feed.clear()
        self._feed.fail(error)
        self._failures += 1
        return min(LONGEST_S, FIRST_S * 2.0 ** min(self._failures - 1, 16))

    def _run(self) -> None:
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self._stop.wait(self.step())
        self._feed.fail(Stopping())
