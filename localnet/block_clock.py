"""Block production at a fixed interval, for a node's process or a thread."""

import logging
import time
from threading import Event

from localnet.chain import LocalChain

log = logging.getLogger("localnet")


class BlockClock:
    """Makes a block every interval. Missed intervals are skipped, not caught up."""

    def __init__(self, chain: LocalChain, interval_s: float) -> None:
        self._chain = chain
        self._interval_s = interval_s
        self.stopping = Event()

    def run(self) -> None:
        """Makes blocks until `stopping` is set. Exceptions raised by a block propagate."""
        due = time.monotonic() + self._interval_s
        while not self.stopping.wait(max(0.0, due - time.monotonic())):
            block = self._chain.make_block()
            if block.txs:
                failed = sum(1 for outcome in block.txs if outcome.code)
                log.info("block %d: %d transactions, %d failed", block.height, len(block.txs), failed)
            due = max(due + self._interval_s, time.monotonic())
